package dev.interlock.spring;

import dev.interlock.CommonOptions;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockProviderNotFoundException;
import dev.interlock.Locks;
import dev.interlock.Option;
import dev.interlock.ProviderInfo;
import dev.interlock.spi.LockProvider;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes one configuration of the application's properties, and names every fault at once. */
final class LockSettings {
  private final InterlockProperties properties;
  private final List<String> faults = new ArrayList<>();

  private LockSettings(InterlockProperties properties) {
    this.properties = properties;
  }

  static LockConfig read(InterlockProperties properties) {
    return new LockSettings(properties).read();
  }

  private LockConfig read() {
    LockConfig start = start();
    LockConfig.Builder builder = start.toBuilder();
    List<Option<?>> known = new ArrayList<>(CommonOptions.ALL);
    provider(start.provider()).ifPresent(provider -> known.addAll(provider.options()));
    texts().forEach((name, text) -> {
      Option<?> option = known.stream()
          .filter(candidate -> candidate.part() == Option.Part.QUERY)
          .filter(candidate -> candidate.name().equals(name))
          .findFirst()
          .orElse(null);
      if (option == null) {
        faults.add("interlock.options.%s: '%s' has no such option; it has %s"
            .formatted(name, start.provider(), names(known)));
      } else if (start.values().containsKey(option)) {
        faults.add("%s is set in interlock.uri and beside it".formatted(name));
      } else {
        set(builder, option, text);
      }
    });
    if (!faults.isEmpty()) {
      throw new LockConfigurationException(String.join("; ", faults));
    }
    return builder.build();
  }

  private LockConfig start() {
    String uri = properties.uri();
    return switch (properties.reuse()) {
      case NONE -> LockConfig.parse(uri == null || uri.isBlank() ? fail(noUri()) : uri);
      case DATA_SOURCE -> reused(uri, "mysql", "data-source");
      case LETTUCE -> reused(uri, "redis-hash", "lettuce");
    };
  }

  private LockConfig reused(@Nullable String uri, String provider, String value) {
    if (uri != null && !uri.isBlank()) {
      fail("interlock.uri and interlock.reuse=%s are both set: keep one of them".formatted(value));
    }
    if (provider(provider).isEmpty()) {
      throw new LockProviderNotFoundException(
          "interlock.reuse=%s needs the provider '%s'. Available: [%s]. Add the dependency dev.interlock:lock-%s."
              .formatted(value, provider, available(), provider));
    }
    return LockConfig.builder(provider).build();
  }

  private static String noUri() {
    return "interlock.uri is not set. Available providers: [%s]".formatted(available());
  }

  private static String fail(String message) {
    throw new LockConfigurationException(message);
  }

  /** The options that are given beside the URI, as they would stand in it. */
  private Map<String, String> texts() {
    Map<String, String> texts = new LinkedHashMap<>(properties.options());
    if (properties.lease() != null) {
      texts.merge("lease", properties.lease().toString(), this::twice);
    }
    if (properties.namespace() != null) {
      texts.merge("namespace", properties.namespace(), this::twice);
    }
    return texts;
  }

  private String twice(String option, String property) {
    faults.add("'%s' and '%s' are set for the same option: once under interlock.options"
        .formatted(option, property));
    return property;
  }

  private <T> void set(LockConfig.Builder builder, Option<T> option, String text) {
    try {
      builder.set(option, option.parse(text));
    } catch (IllegalArgumentException e) {
      faults.add(String.valueOf(e.getMessage()));
    }
  }

  private static String names(List<Option<?>> options) {
    return options.stream()
        .filter(option -> option.part() == Option.Part.QUERY)
        .map(Option::name)
        .sorted()
        .collect(Collectors.joining(", "));
  }

  private static Optional<LockProvider> provider(String id) {
    return ServiceLoader.load(LockProvider.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(provider -> provider.id().equals(id))
        .findFirst();
  }

  private static String available() {
    return Locks.providers().stream().map(ProviderInfo::id).collect(Collectors.joining(", "));
  }
}
