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

/** The provider of {@link StoreServer} for those who want its queue and its shared owners. */
public final class SharedStoreProvider implements LockProvider {
  private final FairStoreProvider fair = new FairStoreProvider();

  @Override
  public String id() {
    return "sharedstore";
  }

  @Override
  public Set<Capability> capabilities(LockConfig config) {
    Set<Capability> capabilities = EnumSet.copyOf(fair.capabilities(config));
    capabilities.add(Capability.SHARED_OWNER);
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
