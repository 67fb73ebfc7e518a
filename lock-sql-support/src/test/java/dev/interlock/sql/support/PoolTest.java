package dev.interlock.sql.support;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import dev.interlock.HostPort;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A pool over connections that break while it looks at them. */
@Timeout(60)
class PoolTest {
  private static final String CUT = "08006";

  private final AtomicInteger opened = new AtomicInteger();

  /**
   * Hikari asks the first connection what it has to know of all. If that is cut at this moment, it
   * would set each of the next ones to an isolation that no database has, and throw it away.
   */
  @Test
  void outlivesAServerThatDiesWhileTheFirstConnectionIsLookedAt() throws SQLException {
    HikariConfig hikari = new HikariConfig();
    hikari.setMaximumPoolSize(2);
    hikari.setInitializationFailTimeout(-1);
    Pool pool = new Pool(
        hikari,
        new Opener(new Servers(List.of(HostPort.of("localhost", 1)), 1, "locks", new Breaking())),
        Duration.ofSeconds(20));
    try {
      Connection connection = pool.take();
      assertThat(connection.getTransactionIsolation())
          .isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
      assertThat(opened.get()).isGreaterThan(1);
      pool.giveBack(connection, true);
    } finally {
      pool.close();
    }
  }

  /** As behind a firewall that has forgotten them: no answer ever comes on those that are idle. */
  @Test
  void w11_severalDeafConnectionsCostNoMoreThanOne() throws Exception {
    AtomicInteger deaf = new AtomicInteger(); // those opened up to this one
    HikariConfig hikari = new HikariConfig();
    hikari.setMaximumPoolSize(4);
    hikari.setMinimumIdle(2);
    hikari.setInitializationFailTimeout(-1);
    Opener opener =
        new Opener(new Servers(List.of(HostPort.of("localhost", 1)), 1, "locks", new Breaking() {
          @Override
          public Connection connect(String place) {
            int number = opened.incrementAndGet();
            return connection(new OneConnection(false, () -> number <= deaf.get()));
          }
        }));
    Pool pool = new Pool(hikari, opener, Duration.ofSeconds(8));
    try {
      Awaitility.await().until(() -> pool.idle() == 2);
      Thread.sleep(1_000); // Hikari looks at those only that were idle for a while
      deaf.set(opened.get());
      pool.giveBack(pool.take(), true);
      assertThat(opened.get()).isGreaterThan(deaf.get());
    } finally {
      pool.close();
    }
  }

  private static Connection connection(OneConnection connection) {
    return (Connection) Proxy.newProxyInstance(
        PoolTest.class.getClassLoader(), new Class<?>[] {Connection.class}, connection);
  }

  /** Of the connections the first one is cut once it is asked for its isolation. */
  private class Breaking implements Servers.Driver {

    @Override
    public Connection connect(String place) {
      return connection(new OneConnection(opened.incrementAndGet() == 1, () -> false));
    }

    @Override
    public boolean isUnreachable(SQLException error) {
      return true;
    }
  }

  /** What Hikari asks of a connection. */
  private static final class OneConnection implements InvocationHandler {
    private final boolean breaks;
    private final BooleanSupplier isDeaf;
    private boolean broken;
    private int timeoutMillis;
    private int isolation = Connection.TRANSACTION_REPEATABLE_READ;

    OneConnection(boolean breaks, BooleanSupplier isDeaf) {
      this.breaks = breaks;
      this.isDeaf = isDeaf;
    }

    @Override
    public Object invoke(Object proxy, java.lang.reflect.Method method, Object[] arguments)
        throws SQLException {
      String name = method.getName();
      broken |= breaks && name.equals("getTransactionIsolation");
      switch (name) {
        case "close", "abort", "clearWarnings" -> {
          return null;
        }
        case "isClosed" -> {
          return false;
        }
        case "toString" -> {
          return "a connection";
        }
        case "hashCode" -> {
          return System.identityHashCode(proxy);
        }
        case "equals" -> {
          return proxy == arguments[0];
        }
        case "unwrap" -> {
          return proxy;
        }
        default -> {
          if (broken) {
            throw new SQLException("cut", CUT);
          }
        }
      }
      return switch (name) {
        case "isValid" -> answers();
        case "getAutoCommit" -> true;
        case "isReadOnly" -> false;
        case "getNetworkTimeout" -> timeoutMillis;
        case "setNetworkTimeout" -> {
          timeoutMillis = (Integer) arguments[1];
          yield null;
        }
        case "getTransactionIsolation" -> isolation;
        case "setTransactionIsolation" -> set((Integer) arguments[0]);
        default -> null;
      };
    }

    private boolean answers() {
      boolean deaf = isDeaf.getAsBoolean();
      if (deaf) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(timeoutMillis));
      }
      return !deaf;
    }

    /** As drivers do. */
    private Object set(int level) throws SQLException {
      if (level < Connection.TRANSACTION_READ_UNCOMMITTED) {
        throw new SQLException("no such isolation: " + level, "HY024");
      }
      isolation = level;
      return null;
    }
  }
}
