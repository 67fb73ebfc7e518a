package dev.interlock.postgres;

import dev.interlock.LockConfig;
import dev.interlock.contract.TestClient;
import dev.interlock.postgres.internal.backend.PostgresBackend;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.LockBackend;
import dev.interlock.sql.support.Listener;
import dev.interlock.testservers.PostgresServer;
import dev.interlock.testservers.TestPostgres;
import java.lang.reflect.Field;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** The server that the tests of this JVM share; ends with the JVM. */
public final class Server {
  private static final AtomicInteger COUNT = new AtomicInteger();

  private Server() {}

  private static final class Shared {
    static final PostgresServer SERVER = TestPostgres.start();
  }

  public static PostgresServer shared() {
    return Shared.SERVER;
  }

  /** An address with tables, and locks that no other test has. */
  public static String uri() {
    return uri(shared());
  }

  static String uri(PostgresServer server) {
    return server.uri() + "?schema=create&namespace=" + freshNamespace();
  }

  public static String freshNamespace() {
    return "t" + Long.toHexString(ThreadLocalRandom.current().nextLong()) + COUNT.incrementAndGet();
  }

  /** A client without the engine. */
  public static TestClient client(String uri) {
    return client(uri, freshClientId());
  }

  static String freshClientId() {
    return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
  }

  public static TestClient client(String uri, String id) {
    LockBackend backend = new PostgresProvider()
        .open(LockConfig.parse(uri), BackendContext.of(new ClientId(id, "test:1")));
    return new TestClient(id, backend);
  }

  /** Whether other clients can tell this one of its grants by now. */
  public static boolean isListening(TestClient client) {
    try {
      Field listener = PostgresBackend.class.getDeclaredField("listener");
      listener.setAccessible(true);
      return ((Listener) listener.get(client.backend)).isUp();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
