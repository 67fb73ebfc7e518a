package dev.interlock.tck.teststore;

import dev.interlock.Capability;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockProvider;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The provider of {@link StoreServer} as if it were durable, for the fault that it is not. */
public final class DurableStoreProvider implements LockProvider {
  private final FairStoreProvider fair = new FairStoreProvider();

  @Override
  public String id() {
    return "durablestore";
  }

  @Override
  public Set<Capability> capabilities(LockConfig config) {
    Set<Capability> capabilities = EnumSet.copyOf(fair.capabilities(config));
    capabilities.add(Capability.DURABLE);
    return capabilities;
  }

  @Override
  public List<Option<?>> options() {
    return fair.options();
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    return fair.open(config, context);
  }
}
