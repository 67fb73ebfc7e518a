package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.contract.TestClient;
import dev.interlock.contract.Undisturbed;
import dev.interlock.mysql.internal.backend.MysqlBackend;
import dev.interlock.mysql.internal.grants.Entries;
import dev.interlock.spi.AttemptResult.Queued;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.ReleaseResult;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Timeout;

/** The answer to an attempt that queues comes after the news that it was granted the lock. */
@Timeout(60)
class LateAnswerTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  private final String namespace = Server.freshNamespace();
  private final AtomicBoolean isSlow = new AtomicBoolean();
  private Runnable whenCommitted = () -> {};

  @Undisturbed(millis = 300)
  void w12_whoHasHeardOfItsGrantBeforeTheAnswerOfATransactionIsNoWaiter()
      throws SQLException, ReflectiveOperationException {
    String uri = Server.shared().uri() + "?schema=create&namespace=" + namespace;
    try (TestClient one = Server.client(uri);
        TestClient two = OddPool.directClient(namespace, this::route)) {
      Server.awaitListening(two);
      HoldId holder = one.id();
      HoldId waiter = two.id();
      one.attempt("a", holder, Duration.ZERO);
      whenCommitted = () -> {
        assertThat(one.release("a", holder)).isEqualTo(ReleaseResult.released());
        Awaitility.await()
            .pollDelay(Duration.ZERO)
            .pollInterval(Duration.ofMillis(2))
            .until(() -> !two.grants.isEmpty());
      };
      isSlow.set(true);

      assertThat(two.attemptAs("owner", "a", waiter, LONG)).isInstanceOf(Queued.class);
      assertThat(isSlow).isFalse();
      assertThat(two.grants.element().id()).isEqualTo(waiter);
      assertThat(entries(two).isAwaited("a")).isFalse();
      assertThat(two.release("a", waiter)).isEqualTo(ReleaseResult.released());
    }
  }

  private static Entries entries(TestClient client) throws ReflectiveOperationException {
    Field entries = MysqlBackend.class.getDeclaredField("entries");
    entries.setAccessible(true);
    return (Entries) entries.get(client.backend);
  }

  private Connection route(Connection usual, String sql) {
    return sql.contains("INSERT INTO interlock_entry") && isSlow.compareAndSet(true, false)
        ? (Connection) Proxy.newProxyInstance(
            LateAnswerTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> slow((PreparedStatement) method.invoke(usual, arguments)))
        : usual;
  }

  private PreparedStatement slow(PreparedStatement usual) {
    return (PreparedStatement) Proxy.newProxyInstance(
        LateAnswerTest.class.getClassLoader(),
        new Class<?>[] {PreparedStatement.class},
        (proxy, method, arguments) -> {
          try {
            Object answer = method.invoke(usual, arguments);
            if (method.getName().startsWith("execute")) {
              whenCommitted.run();
            }
            return answer;
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        });
  }
}
