package dev.interlock.mysql;

import dev.interlock.LockConfig;
import dev.interlock.contract.TestClient;
import dev.interlock.mysql.internal.queue.LocalClient;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.LockBackend;
import dev.interlock.testservers.MysqlServer;
import dev.interlock.testservers.TestMysql;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/** The server that the tests of this JVM share; ends with the JVM. */
public final class Server {
  private static final AtomicInteger COUNT = new AtomicInteger();

  private Server() {}

  private static final class Shared {
    static final MysqlServer SERVER = TestMysql.start();
  }

  public static MysqlServer shared() {
    return Shared.SERVER;
  }

  /** An address with tables, and locks that no other test has. */
  public static String uri() {
    return uri(shared());
  }

  static String uri(MysqlServer server) {
    return server.uri() + "?schema=create&namespace=" + freshNamespace();
  }

  public static String freshNamespace() {
    return "t" + Long.toHexString(ThreadLocalRandom.current().nextLong()) + COUNT.incrementAndGet();
  }

  /** A client without the engine. */
  public static TestClient client(String uri) {
    return client(uri, freshClientId());
  }

  /**
   * Lets a client wait until others can tell it of grants. An attempt does not wait long for that,
   * and what it then queues says that nobody tells it.
   */
  public static void awaitListening(TestClient client) {
    client.attempt("other", client.id(), Duration.ZERO);
    client.attempt("other", client.id(), Duration.ofMinutes(1));
    Awaitility.await().until(() -> ((LocalClient) client.backend).listens());
  }

  static String freshClientId() {
    return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
  }

  static TestClient client(String uri, String id) {
    LockBackend backend = new MysqlProvider()
        .open(LockConfig.parse(uri), BackendContext.of(new ClientId(id, "test:1")));
    return new TestClient(id, backend);
  }
}
