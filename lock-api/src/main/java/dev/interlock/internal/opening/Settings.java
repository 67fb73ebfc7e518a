package dev.interlock.internal.opening;

import dev.interlock.CommonOptions;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.Option;
import dev.interlock.spi.LockProvider;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Checks settings against what a provider understands, and names every fault in one message. */
final class Settings {
  private final LockProvider provider;
  private final List<Option<?>> known = new ArrayList<>();
  private final List<String> faults = new ArrayList<>();

  private Settings(LockProvider provider) {
    this.provider = provider;
    known.addAll(CommonOptions.ALL);
    known.addAll(provider.options());
  }

  /** Types the options of a URI. */
  static LockConfig read(LockUri uri, LockProvider provider) {
    Settings settings = new Settings(provider);
    LockConfig config = settings.read(uri);
    settings.check(config);
    return config;
  }

  /** Checks options that are typed already. */
  static void check(LockConfig config, LockProvider provider) {
    Settings settings = new Settings(provider);
    if (!config.provider().equals(provider.id())) {
      settings.faults.add("the settings are for '%s'".formatted(config.provider()));
    }
    for (Option<?> option : config.values().keySet()) {
      if (!settings.known.contains(option)) {
        settings.faults.add(settings.unknown(option.name(), false));
      }
    }
    settings.check(config);
  }

  private LockConfig read(LockUri uri) {
    LockConfig.Builder builder = LockConfig.builder(provider.id());
    uri.parts()
        .forEach((part, text) -> known.stream()
            .filter(option -> option.part() == part)
            .findFirst()
            .ifPresentOrElse(
                option -> set(builder, option, List.of(text)), () -> faults.add(noPart(part))));
    for (Map.Entry<String, List<String>> given : byName(uri).entrySet()) {
      Optional<Option<?>> option = queryOption(given.getKey());
      if (option.isEmpty()) {
        boolean maybeSecret = given.getValue().stream().allMatch(String::isEmpty) && hasSecret(uri);
        faults.add(unknown(given.getKey(), maybeSecret));
      } else {
        set(builder, option.get(), given.getValue());
      }
    }
    return builder.build();
  }

  private static Map<String, List<String>> byName(LockUri uri) {
    Map<String, List<String>> byName = new LinkedHashMap<>();
    uri.query()
        .forEach(entry -> byName
            .computeIfAbsent(entry.getKey(), name -> new ArrayList<>())
            .add(entry.getValue()));
    return byName;
  }

  private Optional<Option<?>> queryOption(String name) {
    return known.stream()
        .filter(option -> option.part() == Option.Part.QUERY && option.name().equals(name))
        .findFirst();
  }

  private <T> void set(LockConfig.Builder builder, Option<T> option, List<String> texts) {
    try {
      builder.set(option, option.parseAll(texts));
    } catch (IllegalArgumentException e) {
      faults.add(String.valueOf(e.getMessage()));
    }
  }

  private String noPart(Option.Part part) {
    String what = switch (part) {
      case USER -> "a user";
      case PASSWORD -> "a password";
      case HOSTS -> "a host";
      case PATH -> "a path";
      case QUERY -> "a query";
    };
    return "%s:// does not take %s".formatted(provider.id(), what);
  }

  private boolean hasSecret(LockUri uri) {
    return uri.query().stream()
        .map(Map.Entry::getKey)
        .flatMap(name -> queryOption(name).stream())
        .anyMatch(Option::isSensitive);
  }

  /**
   * Says what there is instead.
   *
   * @param maybeSecret whether it has no value and stands beside a secret, of which it may be a
   *     part
   */
  private String unknown(String name, boolean maybeSecret) {
    List<String> names = known.stream()
        .filter(option -> option.part() == Option.Part.QUERY)
        .map(Option::name)
        .sorted()
        .toList();
    Optional<String> meant = Nearest.to(name, names);
    if (meant.isPresent()) {
      return "unknown option '%s' (did you mean '%s'?)".formatted(name, meant.get());
    }
    return (maybeSecret
            ? "an unknown option, not repeated here because it may be a part of a password, in which"
                + " an & is %26"
            : "unknown option '" + name + "'")
        + " (known: " + String.join(", ", names) + ")";
  }

  private void check(LockConfig config) {
    for (Option<?> option : known) {
      if (option.isMandatory() && config.find(option).isEmpty()) {
        faults.add("%s is missing".formatted(option.name()));
      }
    }
    if (faults.isEmpty()) {
      faults.addAll(provider.conflicts(config));
    }
    if (!faults.isEmpty()) {
      throw new LockConfigurationException(
          "Cannot open '%s': %s".formatted(provider.id(), String.join("; ", faults)));
    }
  }
}
