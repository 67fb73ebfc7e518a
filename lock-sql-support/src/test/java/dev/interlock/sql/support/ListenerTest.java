package dev.interlock.sql.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ListenerTest {
  /** As when memory or threads are short in whoever hears of a grant. */
  @Test
  void p3_afterAnErrorItIsNotTakenForOneThatListensAndBeginsAnew() {
    AtomicInteger sessions = new AtomicInteger();
    CountDownLatch fault = new CountDownLatch(1);
    AtomicInteger told = new AtomicInteger();
    Listener listener =
        new Listener(new NoServer(), "listener-test", () -> true, (caller, connection, again) -> {
          caller.up(true);
          if (sessions.incrementAndGet() == 1) {
            awaitUninterruptibly(fault);
            throw new OutOfMemoryError("for the test");
          }
          told.addAndGet(again ? 1 : 0);
          caller.goWithout();
        });
    try {
      listener.ensure();
      await().until(listener::isUp);
      fault.countDown();
      await().until(() -> sessions.get() == 2);
      await().until(listener::isUp);
      await().until(() -> told.get() == 1);
    } finally {
      listener.close();
    }
    assertThat(listener.isUp()).isFalse();
  }

  /** As one that has become read-only. */
  @Test
  void e5_aServerThatStaysOfNoUseIsAskedLessAndLessOften() {
    List<Long> asked = new CopyOnWriteArrayList<>();
    Listener listener = new Listener(
        new NoServer() {
          @Override
          public Connection listener() throws SQLException {
            asked.add(System.nanoTime());
            throw new SQLException("of no use");
          }
        },
        "listener-of-no-use",
        () -> true,
        (caller, connection, again) -> {});
    try {
      listener.ensure();
      await().atMost(Duration.ofSeconds(30)).until(() -> asked.size() >= 4);
    } finally {
      listener.close();
    }
    assertThat(Duration.ofNanos(asked.get(3) - asked.get(2))).isGreaterThan(Duration.ofSeconds(1));
  }

  @Test
  void e7_itEndsAtOnceAlsoWhereAnApplicationsPoolHasNoConnectionForIt() throws Exception {
    String name = "listener-without-connection";
    CountDownLatch asked = new CountDownLatch(1);
    Listener listener = new Listener(
        new NoServer() {
          @Override
          public Connection listener() throws SQLException {
            asked.countDown();
            try {
              TimeUnit.MINUTES.sleep(1);
            } catch (InterruptedException e) {
              throw new SQLException(e);
            }
            return super.listener();
          }
        },
        name,
        () -> true,
        (caller, connection, again) -> {});
    listener.ensure();
    asked.await();
    listener.close();
    await()
        .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
            .extracting(Thread::getName)
            .doesNotContain(name));
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static class NoServer implements Connections {
    @Override
    public Connection take(boolean urgent) {
      throw new AssertionError("not asked for");
    }

    @Override
    public void giveBack(Connection connection, boolean urgent, boolean healthy) {}

    @Override
    public Connection listener() throws SQLException {
      return (Connection) Proxy.newProxyInstance(
          ListenerTest.class.getClassLoader(),
          new Class<?>[] {Connection.class},
          (proxy, method, arguments) -> null);
    }

    @Override
    public void endListener(Connection connection) {}

    @Override
    public void close() {}
  }
}
