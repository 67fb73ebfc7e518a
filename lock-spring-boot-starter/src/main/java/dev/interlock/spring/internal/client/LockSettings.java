package dev.interlock.spring.internal.client;

import dev.interlock.CommonOptions;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.Option;
import dev.interlock.spi.LockProvider;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Collectors;

/** Adds to a configuration what the application's properties say, and names every fault at once. */
final class LockSettings {
  private final String prefix;
  private final ClientSettings properties;
  private final List<String> faults = new ArrayList<>();

  private LockSettings(String prefix, ClientSettings properties) {
    this.prefix = prefix;
    this.properties = properties;
  }

  /**
   * Reads the options that are given beside the URI.
   *
   * @param prefix what the names of the properties begin with
   * @param start what the URI or the application's connection says
   */
  static LockConfig read(String prefix, ClientSettings properties, LockConfig start) {
    return new LockSettings(prefix, properties).read(start);
  }

  private LockConfig read(LockConfig start) {
    LockConfig.Builder builder = start.toBuilder();
    List<Option<?>> known = new ArrayList<>(CommonOptions.ALL);
    known.addAll(options(start.provider()));
    Set<Option<?>> given = new HashSet<>();
    texts().forEach((name, text) -> {
      Option<?> option = known.stream()
          .filter(candidate -> candidate.part() == Option.Part.QUERY)
          .filter(candidate -> plain(candidate.name()).equals(plain(name)))
          .findFirst()
          .orElse(null);
      if (option == null) {
        faults.add("%s.options.%s: '%s' has no such option; it has %s"
            .formatted(prefix, name, start.provider(), names(known)));
      } else if (start.values().containsKey(option)) {
        faults.add("%s is set in %s and beside it"
            .formatted(
                option.name(), properties.uri() == null ? "the connection" : prefix + ".uri"));
      } else if (!given.add(option)) {
        faults.add("%s.options.%s is set twice, written in different ways"
            .formatted(prefix, option.name()));
      } else {
        set(builder, option, text);
      }
    });
    if (!faults.isEmpty()) {
      throw new LockConfigurationException(String.join("; ", faults));
    }
    return builder.build();
  }

  /** As Spring Boot compares the names of properties; those of the environment have no capitals. */
  private static String plain(String name) {
    return name.replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
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
    faults.add("'%s' and '%s' are set for the same option: once under %s.options"
        .formatted(option, property, prefix));
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

  /** The options of a provider; none if it is not there. */
  static List<Option<?>> options(String id) {
    return provider(id).map(LockProvider::options).orElse(List.of());
  }

  private static Optional<LockProvider> provider(String id) {
    return ServiceLoader.load(LockProvider.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(provider -> provider.id().equals(id))
        .findFirst();
  }
}
