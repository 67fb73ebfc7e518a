package dev.interlock.postgres;

import dev.interlock.Capability;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.postgres.internal.backend.PostgresBackend;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockProvider;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The provider for {@code postgres://}, found by {@link java.util.ServiceLoader}. Stateless. */
public final class PostgresProvider implements LockProvider {

  @Override
  public String id() {
    return "postgres";
  }

  @Override
  public Set<Capability> capabilities(LockConfig config) {
    return EnumSet.of(
        Capability.RENEWABLE,
        Capability.FENCED,
        Capability.PUSH,
        Capability.SHARED_OWNER,
        Capability.FAIR,
        Capability.DURABLE,
        Capability.SHARED,
        Capability.PERMITS);
  }

  @Override
  public List<Option<?>> options() {
    return PostgresOptions.ALL;
  }

  @Override
  public List<String> conflicts(LockConfig config) {
    boolean verifies =
        config.get(PostgresOptions.TLS).compareTo(PostgresOptions.TlsMode.VERIFY_CA) >= 0;
    return config.find(PostgresOptions.ROOT_CERTIFICATE).isPresent() && !verifies
        ? List.of("rootCertificate has no effect unless tls is verify-ca or verify-full")
        : List.of();
  }

  /** {@inheritDoc} True: waiters are served in the order of their tickets. */
  @Override
  public boolean fairByDefault(LockConfig config) {
    return true;
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    return PostgresBackend.open(config, context.client());
  }
}
