package dev.interlock.tck.teststore;

import dev.interlock.Capability;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockProvider;
import java.util.List;
import java.util.Set;

/** The provider of {@link StoreServer}. */
public final class StoreProvider implements LockProvider {
  static final Option<List<HostPort>> HOSTS = Option.hosts(null).mandatory();
  static final Option<Fault> FAULT = Option.choice("fault", Fault.class, Fault.NONE);

  @Override
  public String id() {
    return "teststore";
  }

  @Override
  public Set<Capability> capabilities(LockConfig config) {
    return Set.of(Capability.RENEWABLE, Capability.FENCED, Capability.PUSH);
  }

  @Override
  public List<Option<?>> options() {
    return List.of(HOSTS, FAULT);
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    ClientId client = context.client();
    HostPort server = config.get(HOSTS).get(0);
    return new StoreBackend(
        new StoreConnections(
            server.host(), server.port().orElseThrow(), client.id(), config.get(FAULT)),
        client,
        config.get(FAULT));
  }
}
