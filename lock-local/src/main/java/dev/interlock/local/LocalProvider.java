package dev.interlock.local;

import dev.interlock.Capability;
import dev.interlock.CommonOptions;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockProvider;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The provider {@code local}: each namespace is one {@link LocalSpace} of this JVM. */
public final class LocalProvider implements LockProvider {
  static final String ID = "local";

  /** Creates the provider; for {@link java.util.ServiceLoader}. */
  public LocalProvider() {}

  @Override
  public String id() {
    return ID;
  }

  @Override
  public Set<Capability> capabilities(LockConfig config) {
    return EnumSet.complementOf(EnumSet.of(Capability.DURABLE));
  }

  @Override
  public List<Option<?>> options() {
    return List.of();
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    return new LocalBackend(
        LocalSpace.named(config.get(CommonOptions.NAMESPACE)), context.client());
  }
}
