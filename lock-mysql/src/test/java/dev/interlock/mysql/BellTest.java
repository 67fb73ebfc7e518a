package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a client listens. */
@Timeout(60)
class BellTest {
  private static final Duration LINGER = Duration.ofMillis(250);
  private static final double SLEEP_SECONDS = 0.01;

  private OwnPools pools;
  private Database database;

  @BeforeEach
  void open() {
    String uri = Server.uri();
    Server.client(uri).close(); // makes the tables
    LockConfig config = LockConfig.parse(uri);
    pools = new OwnPools(config, "bell");
    database = on(pools, config.get(MysqlOptions.TIMEOUT));
  }

  @AfterEach
  void close() {
    pools.close();
  }

  private static Database on(Connections connections, Duration timeout) {
    return new Database(connections, Mappers.create("interlock_", false), timeout);
  }

  private static Bell bell(Database database) {
    long client = ThreadLocalRandom.current().nextLong();
    return new Bell(database, client, "n:", new Entries(), SLEEP_SECONDS, LINGER);
  }

  @Test
  void whoRaisesItCanRelyOnItAlsoWhenItWasAboutToGoDown() {
    Bell bell = bell(database);
    try {
      for (int round = 0; round < 24; round++) {
        bell.raise();
        Awaitility.await("round " + round).until(bell::isUp);
        // It goes down about now.
        LockSupport.parkNanos(LINGER.toNanos() + (round - 8) * 1_000_000L);
      }
    } finally {
      bell.close();
    }
  }

  @Test
  void whoRaisesItDoesNotWaitForAServerThatIsSlow() throws Exception {
    CountDownLatch slow = new CountDownLatch(1);
    Connections late = new LateListener(pools, slow);
    Bell bell = bell(on(late, Duration.ofSeconds(3)));
    try {
      // It used to wait for a second: all the time that a caller may have. The quickest of three
      // counts, for this JVM may stand still meanwhile.
      long quickest =
          LongStream.generate(() -> nanosToRaise(bell)).limit(3).min().orElseThrow();
      assertThat(Duration.ofNanos(quickest)).isLessThan(Duration.ofMillis(800));
      assertThat(bell.isUp()).isFalse();
      slow.countDown();
      Awaitility.await().until(() -> {
        bell.raise();
        return bell.isUp();
      });
    } finally {
      bell.close();
    }
  }

  private static long nanosToRaise(Bell bell) {
    long start = System.nanoTime();
    bell.raise();
    return System.nanoTime() - start;
  }

  /** Connections of which that to listen on comes late. */
  private record LateListener(Connections pools, CountDownLatch comes) implements Connections {
    @Override
    public Connection take(boolean urgent) throws SQLException {
      return pools.take(urgent);
    }

    @Override
    public void giveBack(Connection connection, boolean urgent, boolean healthy) {
      pools.giveBack(connection, urgent, healthy);
    }

    @Override
    public Connection listener() throws SQLException {
      try {
        comes.await();
      } catch (InterruptedException e) {
        throw new SQLException(e);
      }
      return pools.listener();
    }

    @Override
    public void endListener(Connection connection) throws SQLException {
      pools.endListener(connection);
    }

    @Override
    public void close() {
      pools.close();
    }
  }
}
