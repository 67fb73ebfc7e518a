package dev.interlock.mysql.internal.grants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockConfig;
import dev.interlock.mysql.MysqlOptions;
import dev.interlock.mysql.Server;
import dev.interlock.mysql.internal.connection.MysqlDriver;
import dev.interlock.mysql.internal.queue.Entry;
import dev.interlock.mysql.internal.statements.LockKey;
import dev.interlock.mysql.internal.statements.LockMapper.KnownEntry;
import dev.interlock.mysql.internal.statements.LockSession;
import dev.interlock.mysql.internal.statements.Mappers;
import dev.interlock.spi.HoldId;
import dev.interlock.sql.support.Connections;
import dev.interlock.sql.support.Database;
import dev.interlock.sql.support.Opener;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
class GrantListenerTest {
  private static final Duration LINGER = Duration.ofMillis(250);
  private static final double SLEEP_SECONDS = 0.01;

  private Connections pools;
  private Database<LockSession> database;

  @BeforeEach
  void open() {
    String uri = Server.uri();
    Server.client(uri).close(); // makes the tables
    LockConfig config = LockConfig.parse(uri);
    pools = MysqlDriver.pool(new Opener(MysqlDriver.servers(config)), config, "listens");
    database = on(pools, config.get(MysqlOptions.TIMEOUT));
  }

  @AfterEach
  void close() {
    pools.close();
  }

  private static Database<LockSession> on(Connections connections, Duration timeout) {
    return Mappers.database(connections, Mappers.create("interlock_", false, false), timeout);
  }

  private static GrantListener grantListener(Database<LockSession> database, Entries entries) {
    return grantListener(database, entries, SLEEP_SECONDS, LINGER);
  }

  private static GrantListener grantListener(
      Database<LockSession> database, Entries entries, double waitSeconds, Duration linger) {
    long client = ThreadLocalRandom.current().nextLong();
    return new GrantListener(database, client, "n:", entries, waitSeconds, linger);
  }

  /**
   * When several slept on MariaDB, a KILL that came while another fell asleep or woke up stopped
   * for up to two seconds, and with it all of them.
   */
  @Test
  void oneListenerSleepsAndTheOthersWaitForItsPlace() {
    List<GrantListener> listeners = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        listeners.add(grantListener(database, new Entries(), 2, Duration.ofMinutes(1)));
        listeners.get(i).ensureListening();
        int others = i;
        Awaitility.await()
            .until(() -> sessions("User sleep") == 1 && sessions("User lock") == others);
      }
      listeners.get(0).close();
      Awaitility.await().until(() -> sessions("User sleep") == 1 && sessions("User lock") == 1);
      assertThat(listeners.get(1).isListening() && listeners.get(2).isListening())
          .isTrue();
    } finally {
      listeners.forEach(GrantListener::close);
    }
  }

  private static int sessions(String state) {
    return Integer.parseInt(Server.shared()
        .execute(
            "SELECT COUNT(*) FROM information_schema.processlist WHERE state = '" + state + "'")
        .strip());
  }

  /** Reading row by row, the driver would set a variable before and behind each answer. */
  @Test
  void aLookIsOnePacketToWhichTheDriverAddsNone() throws SQLException {
    try (Connection connection = pools.listener();
        GrantLook look =
            new GrantLook(connection, database.configuration(), 1, SLEEP_SECONDS, true)) {
      String before = sessionStatus(connection, "Questions");
      for (int i = 0; i < 3; i++) {
        assertThat(look.run(List.of(), grant -> {})).isTrue();
      }
      // Four times three, and the question before.
      assertThat(Long.parseLong(sessionStatus(connection, "Questions")) - Long.parseLong(before))
          .isEqualTo(13);
    }
  }

  private static String sessionStatus(Connection connection, String name) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW SESSION STATUS LIKE '" + name + "'")) {
      row.next();
      return row.getString(2);
    }
  }

  @Test
  void whoRaisesItCanRelyOnItAlsoWhenItWasAboutToGoDown() {
    Entries entries = new Entries();
    HoldId id = new HoldId(1, 1);
    KnownEntry waiter = new KnownEntry("x", LockKey.of("n", "x"), Entry.WAITER, 1, id, false);
    GrantListener grantListener = grantListener(database, entries);
    try {
      for (int round = 0; round < 24; round++) {
        long raised = System.nanoTime();
        grantListener.ensureListening();
        // Then the waiter is queued, and keeps it up for as long as a busy machine takes for that.
        LockSupport.parkNanos(grantListener.isListening() ? 0 : 50_000_000);
        entries.put(waiter, Duration.ZERO);
        // If this JVM stood still until now, it was right to go down.
        if (System.nanoTime() - raised < LINGER.toNanos()) {
          Awaitility.await("round " + round).until(grantListener::isListening);
        }
        entries.remove(id);
        // It goes down about now.
        long past = System.nanoTime() - raised;
        LockSupport.parkNanos(LINGER.toNanos() - past + (round - 8) * 1_000_000L);
      }
    } finally {
      grantListener.close();
    }
  }

  @Test
  void whoRaisesItDoesNotWaitForAServerThatIsSlow() throws Exception {
    CountDownLatch slow = new CountDownLatch(1);
    Connections late = new LateListener(pools, slow);
    GrantListener grantListener = grantListener(on(late, Duration.ofSeconds(3)), new Entries());
    try {
      // It used to wait for a second: all the time that a caller may have. The quickest of three
      // counts, for this JVM may stand still meanwhile.
      long quickest =
          LongStream.generate(() -> nanosToListen(grantListener)).limit(3).min().orElseThrow();
      assertThat(Duration.ofNanos(quickest)).isLessThan(Duration.ofMillis(800));
      assertThat(grantListener.isListening()).isFalse();
      slow.countDown();
      Awaitility.await().until(() -> {
        grantListener.ensureListening();
        return grantListener.isListening();
      });
    } finally {
      grantListener.close();
    }
  }

  private static long nanosToListen(GrantListener grantListener) {
    long start = System.nanoTime();
    grantListener.ensureListening();
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
