package example.acme;

import dev.interlock.Capability;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockProvider;
import java.util.List;
import java.util.Set;

/** Locks in Acme's store: {@code acme://localhost:4711}. */
public final class AcmeProvider implements LockProvider {
  private static final Option<List<HostPort>> SERVER = Option.hosts(
          List.of(HostPort.of("localhost", 4711)))
      .that(servers -> servers.size() == 1, "one server")
      .describedAs("Acme's server");

  @Override
  public String id() {
    return "acme";
  }

  /** Step 4 adds RENEWABLE, step 8 FENCED. */
  @Override
  public Set<Capability> capabilities(LockConfig config) {
    return Set.of();
  }

  @Override
  public List<Option<?>> options() {
    return List.of(SERVER);
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    return new AcmeBackend(config.get(SERVER).get(0), context.client());
  }
}
