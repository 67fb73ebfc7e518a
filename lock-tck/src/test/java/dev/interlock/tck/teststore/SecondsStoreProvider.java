package dev.interlock.tck.teststore;

import dev.interlock.Capability;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockProvider;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** The provider of {@link StoreServer} that declares leases in whole seconds. */
public final class SecondsStoreProvider implements LockProvider {
  private final StoreProvider plain = new StoreProvider();

  @Override
  public String id() {
    return "secondsstore";
  }

  @Override
  public Set<Capability> capabilities(LockConfig config) {
    return plain.capabilities(config);
  }

  @Override
  public List<Option<?>> options() {
    return plain.options();
  }

  @Override
  public Duration leaseGranularity(LockConfig config) {
    return Duration.ofSeconds(1);
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    return plain.open(config, context);
  }
}
