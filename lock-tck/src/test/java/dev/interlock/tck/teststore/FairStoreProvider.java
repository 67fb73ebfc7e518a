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

/** The provider of {@link StoreServer} for those who want its queue. */
public final class FairStoreProvider implements LockProvider {
  private final StoreProvider plain = new StoreProvider();

  @Override
  public String id() {
    return "fairstore";
  }

  @Override
  public Set<Capability> capabilities(LockConfig config) {
    Set<Capability> capabilities = EnumSet.copyOf(plain.capabilities(config));
    capabilities.add(Capability.FAIR);
    return capabilities;
  }

  @Override
  public List<Option<?>> options() {
    return plain.options();
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    return plain.open(config, context);
  }
}
