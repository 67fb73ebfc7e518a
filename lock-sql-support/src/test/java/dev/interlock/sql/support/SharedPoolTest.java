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
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class SharedPoolTest {
  private final AtomicBoolean autoCommit = new AtomicBoolean();
  private final AtomicBoolean fits = new AtomicBoolean();
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
        (proxy, method, arguments) -> connection);
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
