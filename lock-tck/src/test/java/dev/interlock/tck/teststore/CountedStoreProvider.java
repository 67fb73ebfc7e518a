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

/** The provider of {@link StoreServer} for those who share locks, as readers or by permits. */
public final class CountedStoreProvider implements LockProvider {
  private final SharedStoreProvider shared = new SharedStoreProvider();

  @Override
  public String id() {
    return "countedstore";
  }

  @Override
  public Set<Capability> capabilities(LockConfig config) {
    Set<Capability> capabilities = EnumSet.copyOf(shared.capabilities(config));
    capabilities.add(Capability.SHARED);
    capabilities.add(Capability.PERMITS);
    return capabilities;
  }

  @Override
  public List<Option<?>> options() {
    return shared.options();
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    return shared.open(config, context);
  }
}
