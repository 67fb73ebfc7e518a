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
  private final CountedStoreProvider counted = new CountedStoreProvider();

  @Override
  public String id() {
    return "durablestore";
  }

  @Override
  public Set<Capability> capabilities(LockConfig config) {
    Set<Capability> capabilities = EnumSet.copyOf(counted.capabilities(config));
    capabilities.add(Capability.DURABLE);
    return capabilities;
  }

  @Override
  public List<Option<?>> options() {
    return counted.options();
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    return counted.open(config, context);
  }
}
