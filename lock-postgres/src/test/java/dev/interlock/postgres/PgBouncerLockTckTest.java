package dev.interlock.postgres;

import dev.interlock.tck.LockTck;
import dev.interlock.tck.TckBackend;
import dev.interlock.testservers.PostgresFaults;
import dev.interlock.testservers.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The kit behind PgBouncer in transaction mode, where nobody is told and waiters look. Not part of
 * every build: it wants the program {@code pgbouncer} on the PATH.
 */
@EnabledIfSystemProperty(named = "interlock.test.pgbouncer", matches = "true")
class PgBouncerLockTckTest extends LockTck {
  private static final String PREFIX = "bounced_";
  private static PgBouncer bouncer;

  @Override
  protected TckBackend backend() {
    PostgresServer server = Server.shared();
    return TckBackend.at(bouncer(server).uri(server) + "?schema=create&tablePrefix=" + PREFIX
            + "&namespace=" + Server.freshNamespace())
        .server(server.version() + " behind PgBouncer")
        .timeScale(2.0)
        .faults(PostgresFaults.of(server, PREFIX))
        .waive("P1", "nobody is told behind it: waiters look every 100 ms")
        .waive("W10", "nobody is told behind it: each client looks for itself")
        .countWith(() -> PostgresLockTckTest.rows(server, PREFIX));
  }

  private static synchronized PgBouncer bouncer(PostgresServer server) {
    if (bouncer == null) {
      try {
        bouncer = PgBouncer.start(server);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return bouncer;
  }

  @AfterAll
  static synchronized void end() throws IOException {
    if (bouncer != null) {
      bouncer.close();
    }
  }
}
