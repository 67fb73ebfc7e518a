package dev.interlock.internal.opening;

import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockProviderNotFoundException;
import dev.interlock.ProviderInfo;
import dev.interlock.spi.LockProvider;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/** The providers that the class path or module path has now. */
final class Providers {
  private static final Logger LOG = System.getLogger("dev.interlock");

  /** Some faults of a class path repeat themselves without end. */
  private static final int MOST_FAULTS = 100;

  private final List<LockProvider> loaded = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();

  private Providers() {}

  static Providers discover() {
    Providers providers = new Providers();
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    ClassLoader own = Providers.class.getClassLoader();
    providers.load(context == null ? own : context);
    if (context != null && context != own) {
      providers.load(own); // a pool's thread may have a context that sees only the JDK
    }
    return providers;
  }

  private void load(ClassLoader loader) {
    Iterator<LockProvider> services =
        ServiceLoader.load(LockProvider.class, loader).iterator();
    int faults = 0;
    boolean more = true;
    while (more && faults < MOST_FAULTS) {
      try {
        more = services.hasNext();
        if (more) {
          add(services.next());
        }
      } catch (ServiceConfigurationError | LinkageError e) {
        // One broken provider does not stop the others.
        faults++;
        String failure = String.valueOf(e.getMessage());
        if (!failures.contains(failure)) {
          failures.add(failure);
          LOG.log(Level.WARNING, "A lock provider failed to load and is left out", e);
        }
      }
    }
  }

  private void add(LockProvider provider) {
    if (loaded.stream().noneMatch(known -> known.getClass() == provider.getClass())) {
      loaded.add(provider);
    }
  }

  /** Finds the one provider with an id. */
  LockProvider require(String id) {
    List<LockProvider> matches =
        loaded.stream().filter(provider -> provider.id().equals(id)).toList();
    if (matches.isEmpty()) {
      throw new LockProviderNotFoundException(notFound(id));
    }
    if (matches.size() > 1) {
      throw new LockConfigurationException(
          "%d providers have the id '%s': %s. Keep one of them on the class path."
              .formatted(
                  matches.size(),
                  id,
                  matches.stream()
                      .map(match -> match.getClass().getName() + " from " + location(match))
                      .collect(Collectors.joining("; "))));
    }
    return matches.get(0);
  }

  private String notFound(String id) {
    String available =
        loaded.stream().map(LockProvider::id).sorted().collect(Collectors.joining(", "));
    StringBuilder text = new StringBuilder();
    text.append("No lock provider '%s'. ".formatted(id));
    text.append("Available: [%s]. ".formatted(available));
    if (!failures.isEmpty()) {
      text.append("Failed to load: %s. ".formatted(String.join("; ", failures)));
    }
    text.append(advice(id));
    return text.toString();
  }

  private String advice(String id) {
    Optional<String> artifact = KnownProviders.artifactOf(id);
    if (artifact.isPresent()) {
      return "Add the dependency %s.".formatted(artifact.get());
    }
    List<String> known = new ArrayList<>(KnownProviders.ids());
    loaded.forEach(provider -> known.add(provider.id()));
    return Nearest.to(id, known)
        .map("Did you mean '%s'?"::formatted)
        .orElse("Add the artifact that provides it to the class path.");
  }

  List<ProviderInfo> list() {
    return loaded.stream()
        .map(Providers::info)
        .sorted(Comparator.comparing(ProviderInfo::id))
        .toList();
  }

  private static ProviderInfo info(LockProvider provider) {
    String version = provider.getClass().getPackage().getImplementationVersion();
    return new ProviderInfo(
        provider.id(),
        version == null ? "unknown" : version,
        provider.capabilities(LockConfig.builder(provider.id()).build()),
        location(provider));
  }

  private static String location(LockProvider provider) {
    CodeSource source = provider.getClass().getProtectionDomain().getCodeSource();
    if (source != null && source.getLocation() != null) {
      return source.getLocation().toString();
    }
    return provider.getClass().getModule().toString();
  }
}
