package dev.interlock.sql.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.LockConfigurationException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class SharedPoolTest {
  private final AtomicBoolean autoCommit = new AtomicBoolean();
  private final AtomicBoolean fits = new AtomicBoolean();
  private final AtomicInteger errors = new AtomicInteger();
  private final AtomicInteger closed = new AtomicInteger();
  private final SharedPool pool = new SharedPool(source(), 2, Duration.ofSeconds(1), outfit());

  /** The pool gives the same object out again, with what the application has set since. */
  @Test
  void aConnectionThatCouldNotBeMadeToFitIsReturnedAsItWasAndForgotten() throws SQLException {
    assertThatThrownBy(() -> pool.take(true)).hasMessage("for the test");
    assertThat(autoCommit).isFalse();

    fits.set(true);
    autoCommit.set(true);
    pool.giveBack(pool.take(true), true, true);
    assertThat(autoCommit).isTrue();

    autoCommit.set(false);
    pool.giveBack(pool.take(true), true, true);
    assertThat(autoCommit).isFalse();
  }

  @Test
  void e8_aPoolOfOneConnectionIsRefusedForThatOneWouldBeListenedOn() {
    try (HikariDataSource small = new HikariDataSource()) {
      small.setMaximumPoolSize(1);
      assertThatThrownBy(
              () -> new SharedPool(small, 8, Duration.ofSeconds(1), SharedPool.Outfit.NONE))
          .isInstanceOf(LockConfigurationException.class)
          .hasMessageContaining("maximumPoolSize");
      small.setMaximumPoolSize(2);
      new SharedPool(small, 8, Duration.ofSeconds(1), SharedPool.Outfit.NONE).close();
    }
  }

  /** As when there is no memory for a thread of the pool's. */
  @Test
  void e5_anErrorWhileAConnectionIsTakenKeepsNoneFromOthers() throws SQLException {
    fits.set(true);
    errors.set(1);
    assertThatThrownBy(() -> pool.take(false)).isInstanceOf(OutOfMemoryError.class);
    pool.giveBack(pool.take(false), false, true);
    assertThat(closed).hasValue(1);
  }

  @Test
  void e5_anErrorWhileAConnectionIsPreparedKeepsNoneFromOthers() throws SQLException {
    fits.set(true);
    SharedPool unfit = new SharedPool(source(), 2, Duration.ofSeconds(1), new SharedPool.Outfit() {
      @Override
      public void putOn(Connection connection) {
        errors.set(1);
        fail();
      }

      @Override
      public void takeOff(Connection connection) {}
    });
    assertThatThrownBy(() -> unfit.take(false)).isInstanceOf(OutOfMemoryError.class);
    assertThatThrownBy(() -> unfit.take(false)).isInstanceOf(OutOfMemoryError.class);
    assertThat(closed).hasValue(2);
    assertThatThrownBy(unfit::listener).isInstanceOf(OutOfMemoryError.class);
    assertThat(closed).hasValue(3);
  }

  @Test
  void e5_aConnectionThatCannotBeClosedKeepsNoneFromOthers() throws SQLException {
    fits.set(true);
    Connection connection = pool.take(false);
    closed.set(-1);
    pool.giveBack(connection, false, true);
    pool.giveBack(pool.take(false), false, true);
    assertThat(closed).hasValue(1);
  }

  private void fail() {
    if (errors.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new OutOfMemoryError("for the test");
    }
  }

  private SharedPool.Outfit outfit() {
    return new SharedPool.Outfit() {
      @Override
      public void putOn(Connection connection) throws SQLException {
        if (!fits.get()) {
          throw new SQLException("for the test");
        }
      }

      @Override
      public void takeOff(Connection connection) throws SQLException {
        putOn(connection);
      }
    };
  }

  private DataSource source() {
    Connection connection = (Connection) proxy(Connection.class);
    return (DataSource) Proxy.newProxyInstance(
        SharedPoolTest.class.getClassLoader(),
        new Class<?>[] {DataSource.class},
        (proxy, method, arguments) -> {
          fail();
          return connection;
        });
  }

  private Object proxy(Class<?> type) {
    return Proxy.newProxyInstance(
        SharedPoolTest.class.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) -> {
          switch (method.getName()) {
            case "getAutoCommit" -> {
              return autoCommit.get();
            }
            case "setAutoCommit" -> autoCommit.set((boolean) arguments[0]);
            case "close" -> {
              if (closed.getAndIncrement() < 0) {
                throw new IllegalStateException("for the test");
              }
            }
            case "hashCode" -> {
              return 1;
            }
            case "equals" -> {
              return proxy == arguments[0];
            }
            default -> {}
          }
          return null;
        });
  }
}
