package example.h2;

import dev.interlock.Capability;
import dev.interlock.CommonOptions;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockProvider;
import java.util.List;
import java.util.Set;

/** Locks in an H2 database in server mode: {@code h2://localhost:9092}. */
public final class H2Provider implements LockProvider {
  private static final Option<List<HostPort>> SERVER = Option.hosts(
          List.of(HostPort.of("localhost", 9092)))
      .that(servers -> servers.size() == 1, "one server")
      .describedAs("H2's TCP server");

  @Override
  public String id() {
    return "h2";
  }

  /** Only what is kept: waiters are neither told nor queued, and the database is in memory. */
  @Override
  public Set<Capability> capabilities(LockConfig config) {
    return Set.of(Capability.RENEWABLE, Capability.FENCED);
  }

  @Override
  public List<Option<?>> options() {
    return List.of(SERVER);
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    return new H2Backend(
        config.get(SERVER).get(0), config.get(CommonOptions.NAMESPACE), context.client());
  }
}
