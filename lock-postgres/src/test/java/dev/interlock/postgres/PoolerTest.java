package dev.interlock.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.contract.Undisturbed;
import dev.interlock.testservers.PostgresServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;

/** Where notifications do not arrive, as behind a pooler in transaction mode. */
@Timeout(60)
class PoolerTest {

  @Undisturbed(millis = 300)
  void p2_withoutNotificationsTheWaitersLookEvery100Milliseconds() throws Exception {
    PostgresServer server = Server.shared();
    Locks.open(Server.uri()).close();
    LockConfig config = LockConfig.builder("postgres").build();
    String name = Server.freshNamespace();
    AtomicInteger statements = new AtomicInteger();
    try (LockClient holder = PostgresLocks.using(deaf(server, new AtomicInteger()), config);
        LockClient waiter = PostgresLocks.using(deaf(server, statements), config)) {
      Lease held = holder.acquire(LockRequest.of(name));
      var waiting = waiter.acquireAsync(LockRequest.of(name));
      Awaitility.await().until(() -> holder.inspect(name).orElseThrow().waiters() == 1);
      int before = statements.get();
      long start = System.nanoTime();
      TimeUnit.SECONDS.sleep(3);
      double seconds = (System.nanoTime() - start) / 1e9;
      // Some 10, fewer on a busy machine. Who counts on notifications looks once a second.
      assertThat((statements.get() - before) / seconds).isBetween(3.0, 13.0);
      held.release();
      waiting.get(10, TimeUnit.SECONDS).release();
      assertThat(server.execute("SELECT COUNT(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
              + " AND application_name = 'deaf'"))
          .isEqualTo("0");
    }
  }

  /** Connections that hide the driver: a session's number cannot be compared with the server's. */
  private static DataSource deaf(PostgresServer server, AtomicInteger statements) {
    return proxy(DataSource.class, (method, arguments) -> {
      Connection connection = DriverManager.getConnection(
          server.jdbcUrl() + "?ApplicationName=deaf", server.user(), server.password());
      return proxy(Connection.class, (call, values) -> {
        if (call.getName().equals("isWrapperFor")) {
          return false;
        }
        if (call.getName().equals("unwrap")) {
          throw new SQLException("no " + PGConnection.class);
        }
        if (call.getName().equals("prepareStatement")) {
          statements.incrementAndGet();
        }
        try {
          return call.invoke(connection, values);
        } catch (InvocationTargetException e) {
          throw e.getTargetException();
        }
      });
    });
  }

  private interface Call {
    Object invoke(java.lang.reflect.Method method, Object[] arguments) throws Throwable;
  }

  private static <T> T proxy(Class<T> type, Call call) {
    return type.cast(Proxy.newProxyInstance(
        type.getClassLoader(),
        new Class<?>[] {type},
        (self, method, arguments) -> call.invoke(method, arguments)));
  }
}
