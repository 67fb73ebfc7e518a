package dev.interlock.mysql;

import dev.interlock.Capability;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.mysql.internal.backend.MysqlBackend;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockProvider;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The provider for {@code mysql://}, found by {@link java.util.ServiceLoader}. Stateless. */
public final class MysqlProvider implements LockProvider {

  @Override
  public String id() {
    return "mysql";
  }

  @Override
  public Set<Capability> capabilities(LockConfig config) {
    return EnumSet.of(
        Capability.RENEWABLE,
        Capability.FENCED,
        Capability.SHARED_OWNER,
        Capability.FAIR,
        Capability.DURABLE,
        Capability.SHARED,
        Capability.PERMITS);
  }

  @Override
  public List<Option<?>> options() {
    return MysqlOptions.ALL;
  }

  @Override
  public List<String> conflicts(LockConfig config) {
    List<String> conflicts = new ArrayList<>();
    boolean verifies = config.get(MysqlOptions.TLS).compareTo(MysqlOptions.TlsMode.VERIFY_CA) >= 0;
    if (config.find(MysqlOptions.TRUST_STORE).isPresent() && !verifies) {
      conflicts.add("trustStore has no effect unless tls is verify-ca or verify-identity");
    }
    if (config.find(MysqlOptions.TRUST_STORE_PASSWORD).isPresent()
        && config.find(MysqlOptions.TRUST_STORE).isEmpty()) {
      conflicts.add("trustStorePassword is given without trustStore");
    }
    return conflicts;
  }

  /** {@inheritDoc} True: waiters are served in the order of their tickets. */
  @Override
  public boolean fairByDefault(LockConfig config) {
    return true;
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    return MysqlBackend.open(config, context.client());
  }
}
