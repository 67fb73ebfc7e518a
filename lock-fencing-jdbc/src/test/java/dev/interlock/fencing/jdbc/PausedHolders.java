package dev.interlock.fencing.jdbc;

import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Holders of real locks, each with a client of its own, that write under short leases which nobody
 * renews. They are paused at random for longer than their lease, between two writes or within one,
 * and then go on as if they still had the lock.
 *
 * <p>The database itself tells who wrote when: each write counts its resource's {@code version} and
 * adds a row with this number and its token to a journal, in one transaction. Whoever counts holds
 * the resource's row until its commit, so the versions are in the order of the commits.
 */
final class PausedHolders {
  private static final int HOLDERS = 8;
  private static final int RESOURCES = 4;
  private static final int LONGEST_BATCH = 40;
  private static final Duration SHORTEST_LEASE = Duration.ofMillis(50);

  /** How often it is measured what a lock and a write take; the first one is not counted. */
  private static final int MEASURED = 4;

  /** One write out of so many is preceded by a pause, and one out of so many is paused within. */
  private static final int PAUSE = 60;

  /** A form that refuses too much, or nothing, ends as well. */
  private static final int MOST_TRIES = 20;

  private final Connections connections;
  private final String lockUri;
  private final FencedForm form;
  private final int writes;
  private final String id = Long.toHexString(ThreadLocalRandom.current().nextLong() >>> 1);
  private final String data = "paused_" + id;
  private final String journal = "journal_" + id;
  private final AtomicLong accepted = new AtomicLong();
  private final AtomicLong within = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong refusedWithin = new AtomicLong();
  private final AtomicLong holds = new AtomicLong();
  private volatile Duration lease = SHORTEST_LEASE;

  /** Opens connections that are not in auto-commit mode. */
  interface Connections {
    Connection open() throws SQLException;
  }

  /**
   * What has happened.
   *
   * @param holds how often a lock was acquired
   * @param accepted writes that were let through
   * @param within those of them that had ended before their lease did
   * @param refused writes that were not let through
   * @param refusedWithin those of them whose lease lasted longer, so that nobody could have written
   * @param journalled writes in the journal
   * @param stale those of them that come after one of a larger token
   * @param lost resources whose writes are not all in the journal
   */
  record Result(
      long holds,
      long accepted,
      long within,
      long refused,
      long refusedWithin,
      long journalled,
      long stale,
      long lost) {}

  PausedHolders(Connections connections, String lockUri, FencedForm form, int writes) {
    this.connections = connections;
    this.lockUri = lockUri;
    this.form = form;
    this.writes = writes;
  }

  Result run() throws Exception {
    try (Connection connection = connections.open();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE " + data
          + " (id BIGINT NOT NULL PRIMARY KEY, version BIGINT NOT NULL, token BIGINT NOT NULL)");
      statement.execute("CREATE TABLE " + journal
          + " (resource BIGINT NOT NULL, version BIGINT NOT NULL, token BIGINT NOT NULL,"
          + " PRIMARY KEY (resource, version))");
      for (int resource = 0; resource < RESOURCES; resource++) {
        statement.execute("INSERT INTO " + data + " VALUES (" + resource + ", 0, 0)");
      }
      connection.commit();
      lease = measuredLease(connection);
      hold();
      Result result = look(statement);
      statement.execute("DROP TABLE " + data);
      statement.execute("DROP TABLE " + journal);
      connection.commit();
      return result;
    }
  }

  /** Long enough for some writes where the disk is slow. Pauses are as long as that. */
  private Duration measuredLease(Connection connection) throws Exception {
    long[] took = new long[MEASURED];
    try (LockClient client = Locks.open(lockUri)) {
      for (int i = 0; i < MEASURED; i++) {
        long start = System.nanoTime();
        String name = data + "-0";
        try (Lease held = client.acquire(LockRequest.of(name))) {
          if (transaction(connection, new Write(data, 0, name, held.fencingToken(), () -> {}))) {
            accepted.incrementAndGet();
          }
          took[i] = System.nanoTime() - start;
        }
      }
    }
    Arrays.sort(took); // the machine may have stood still in one of them
    Duration enough = Duration.ofNanos(10 * took[MEASURED / 2]);
    return enough.compareTo(SHORTEST_LEASE) > 0 ? enough : SHORTEST_LEASE;
  }

  private void hold() throws Exception {
    long seed = Long.getLong("interlock.test.seed", ThreadLocalRandom.current().nextLong());
    ExecutorService threads = Executors.newFixedThreadPool(HOLDERS);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int holder = 0; holder < HOLDERS; holder++) {
        SplittableRandom random = new SplittableRandom(seed + holder);
        all.add(threads.submit(() -> {
          try (LockClient client = Locks.open(lockUri);
              Connection connection = connections.open()) {
            while (!isOver()) {
              hold(client, connection, random);
            }
          }
          return null;
        }));
      }
      for (Future<?> one : all) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private boolean isOver() {
    boolean enough =
        accepted.get() >= writes && within.get() > writes / 50 && refused.get() > writes / 50;
    return enough || accepted.get() + refused.get() >= (long) writes * MOST_TRIES;
  }

  /** Holds the lock of a resource once. */
  private void hold(LockClient client, Connection connection, SplittableRandom random)
      throws InterruptedException, SQLException {
    int resource = random.nextInt(RESOURCES);
    String name = data + "-" + resource;
    Lease held = client.acquire(LockRequest.of(name).withLease(lease));
    holds.incrementAndGet();
    for (int left = random.nextInt(LONGEST_BATCH); left >= 0; left--) {
      if (random.nextInt(PAUSE) == 0) {
        pause(random);
      }
      Runnable pausing = random.nextInt(PAUSE) == 0 ? () -> pause(random) : () -> {};
      write(connection, held, new Write(data, resource, name, held.fencingToken(), pausing));
    }
    try {
      held.close();
    } catch (LeaseLostException e) {
      // It was paused.
    }
  }

  private void pause(SplittableRandom random) {
    long least = lease.toNanos();
    LockSupport.parkNanos(least + random.nextLong(least));
  }

  private void write(Connection connection, Lease held, Write write) throws SQLException {
    boolean through = transaction(connection, write);
    // Still valid, it was so all the time: no other can have had the lock.
    boolean inTime = held.isValid();
    (through ? accepted : refused).incrementAndGet();
    if (inTime) {
      (through ? within : refusedWithin).incrementAndGet();
    }
  }

  private boolean transaction(Connection connection, Write write) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement("INSERT INTO " + journal
        + " (resource, version, token) SELECT id, version, ? FROM " + data + " WHERE id = ?")) {
      form.write(connection, write);
      insert.setLong(1, write.token());
      insert.setLong(2, write.resource());
      insert.executeUpdate();
      connection.commit();
      return true;
    } catch (StaleTokenException e) {
      connection.rollback();
      return false;
    }
  }

  private Result look(Statement statement) throws SQLException {
    return new Result(
        holds.get(),
        accepted.get(),
        within.get(),
        refused.get(),
        refusedWithin.get(),
        number(statement, "SELECT COUNT(*) FROM " + journal),
        number(
            statement,
            "SELECT COUNT(*) FROM (SELECT token, LAG(token) OVER (PARTITION BY resource"
                + " ORDER BY version) AS earlier FROM " + journal + ") j WHERE token < earlier"),
        number(
            statement,
            "SELECT COUNT(*) FROM " + data + " d WHERE version <> (SELECT COUNT(*) FROM " + journal
                + " j WHERE j.resource = d.id)"));
  }

  private static long number(Statement statement, String query) throws SQLException {
    try (ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }
}
