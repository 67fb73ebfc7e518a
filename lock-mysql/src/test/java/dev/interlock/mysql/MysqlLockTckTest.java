package dev.interlock.mysql;

import dev.interlock.tck.LockTck;
import dev.interlock.tck.TckBackend;
import dev.interlock.testservers.MysqlFaults;
import dev.interlock.testservers.MysqlServer;

/** The kit on the shared server, whichever that is. */
class MysqlLockTckTest extends LockTck {
  private static final String PREFIX = "tck_";
  private static final String CLOCK = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";

  @Override
  protected TckBackend backend() {
    MysqlServer server = Server.shared();
    String namespace = Server.freshNamespace();
    return TckBackend.at(
            server.uri() + "?schema=create&tablePrefix=" + PREFIX + "&namespace=" + namespace)
        .server(server.version())
        .timeScale(2.0)
        .faults(MysqlFaults.of(server, PREFIX))
        .inspectWith(name -> isLocked(server, namespace + ":" + name))
        .countWith(() -> rows(server));
  }

  private static boolean isLocked(MysqlServer server, String key) {
    StringBuilder hex = new StringBuilder();
    for (byte b : key.getBytes(java.nio.charset.StandardCharsets.UTF_8)) {
      hex.append("%02x".formatted(b));
    }
    String now = " WHERE lock_key = x'" + hex + "' AND until_us > " + CLOCK;
    return !server
        .execute("SELECT (SELECT COUNT(*) FROM " + PREFIX + "lock" + now
            + ") + (SELECT COUNT(*) FROM " + PREFIX + "entry" + now + " AND kind = 0)")
        .equals("0");
  }

  private static long rows(MysqlServer server) {
    return Long.parseLong(server.execute("SELECT (SELECT COUNT(*) FROM " + PREFIX
        + "lock) + (SELECT COUNT(*) FROM " + PREFIX + "entry) + (SELECT COUNT(*) FROM " + PREFIX
        + "counter)"));
  }
}
