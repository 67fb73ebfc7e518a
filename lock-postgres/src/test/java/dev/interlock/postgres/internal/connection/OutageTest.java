package dev.interlock.postgres.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockConfig;
import dev.interlock.postgres.PostgresOptions;
import dev.interlock.postgres.Server;
import dev.interlock.sql.support.Connections;
import dev.interlock.sql.support.Opener;
import dev.interlock.sql.support.Servers;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server that serves the connections it has, and takes no new ones, as one that is going down.
 */
@Timeout(60)
class OutageTest {
  private static final String REASON = "the database system is shutting down";
  private static final Duration LONG = Duration.ofMillis(1_200);
  private static final Duration A_MOMENT = Duration.ofMillis(200);

  private final LockConfig config =
      LockConfig.parse(Server.uri() + "&poolSize=1&connectTimeout=PT5S");
  private final Refusing driver = new Refusing(new PostgresDriver(config, "outage"));
  private final Servers servers = new Servers(
      config.get(PostgresOptions.HOSTS), 5432, config.get(PostgresOptions.DATABASE), driver);
  private final Connections pool = PostgresDriver.pool(new Opener(servers), config, "outage");

  /** Opens one connection, and no other. */
  private static final class Refusing implements Servers.Driver {
    private final Servers.Driver driver;
    private final AtomicBoolean opened = new AtomicBoolean();

    private Refusing(Servers.Driver driver) {
      this.driver = driver;
    }

    @Override
    public Connection connect(String place) throws SQLException {
      if (opened.getAndSet(true)) {
        throw new SQLException(REASON, "57P03");
      }
      return driver.connect(place);
    }

    @Override
    public boolean isUnreachable(SQLException error) {
      return driver.isUnreachable(error);
    }
  }

  @AfterEach
  void close() {
    pool.close();
  }

  @Test
  void aReleaseWaitsForAConnectionThatIsStillServed() throws Exception {
    Connection used = pool.take(true);
    long start = System.nanoTime();
    while (System.nanoTime() - start < LONG.toNanos()) {
      assertThatThrownBy(() -> pool.take(true)).hasRootCauseMessage(REASON);
    }

    long before = System.nanoTime();
    assertThatThrownBy(() -> pool.take(true)).hasRootCauseMessage(REASON);
    Duration waited = Duration.ofNanos(System.nanoTime() - before);
    pool.giveBack(used, true, true);
    Connection release = pool.take(true);

    assertThat(waited)
        .as("the time in which another thread might give it back")
        .isGreaterThan(A_MOMENT);
    assertThat(release.isValid(5)).isTrue();
    pool.giveBack(release, true, true);
  }

  @Test
  void itFailsWithTheServersReasonOnceThereIsNoConnectionLeft() throws Exception {
    Connection last = pool.take(true);
    pool.giveBack(last, true, false);
    TimeUnit.MILLISECONDS.sleep(LONG.toMillis());

    assertThatThrownBy(() -> pool.take(true)).hasRootCauseMessage(REASON);
  }
}
