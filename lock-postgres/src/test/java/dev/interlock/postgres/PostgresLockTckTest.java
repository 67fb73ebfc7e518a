package dev.interlock.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.tck.LockTck;
import dev.interlock.tck.TckBackend;
import dev.interlock.testservers.PostgresFaults;
import dev.interlock.testservers.PostgresServer;
import java.util.HexFormat;

/** The kit on the shared server, whichever that is. */
class PostgresLockTckTest extends LockTck {
  private static final String PREFIX = "tck_";

  @Override
  protected TckBackend backend() {
    PostgresServer server = Server.shared();
    String namespace = Server.freshNamespace();
    return TckBackend.at(
            server.uri() + "?schema=create&tablePrefix=" + PREFIX + "&namespace=" + namespace)
        .server(server.version())
        .timeScale(2.0)
        .faults(PostgresFaults.of(server, PREFIX))
        .inspectWith(name -> isLocked(server, namespace + ":" + name))
        .countWith(() -> rows(server, PREFIX));
  }

  private static boolean isLocked(PostgresServer server, String key) {
    String now = " WHERE lock_key = '\\x" + HexFormat.of().formatHex(key.getBytes(UTF_8))
        + "' AND until_us > " + PREFIX + "now()";
    return !server
        .execute("SELECT (SELECT COUNT(*) FROM " + PREFIX + "lock" + now
            + ") + (SELECT COUNT(*) FROM " + PREFIX + "entry" + now + " AND NOT waits)")
        .equals("0");
  }

  static long rows(PostgresServer server, String prefix) {
    return Long.parseLong(server.execute("SELECT (SELECT COUNT(*) FROM " + prefix
        + "lock) + (SELECT COUNT(*) FROM " + prefix + "entry) + (SELECT COUNT(*) FROM " + prefix
        + "counter)"));
  }
}
