package dev.interlock.internal.opening;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The providers of this project, so that the message for a missing one can name its artifact. */
final class KnownProviders {
  private static final Map<String, String> ARTIFACTS = Map.of(
      "local", "dev.interlock:lock-local",
      "redis-setnx", "dev.interlock:lock-redis-setnx",
      "redis-watch", "dev.interlock:lock-redis-watch",
      "redis-hash", "dev.interlock:lock-redis-hash",
      "mysql", "dev.interlock:lock-mysql",
      "postgres", "dev.interlock:lock-postgres",
      "quorum", "dev.interlock:lock-quorum");

  private KnownProviders() {}

  static Optional<String> artifactOf(String id) {
    return Optional.ofNullable(ARTIFACTS.get(id));
  }

  static Set<String> ids() {
    return ARTIFACTS.keySet();
  }
}
