package dev.interlock.bench.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.bench.subjects.Subject;
import dev.interlock.measure.SectionClient;
import dev.interlock.measure.SectionLock;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.ServerKind;
import dev.interlock.measure.server.SqlPool;
import dev.interlock.testservers.PostgresServer;
import dev.interlock.testservers.TestPostgres;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A lock that holds the bystander up where it is, and one that nobody notices. */
@Tag("thorough")
@Timeout(120)
class BystanderRunTest {
  private static final BenchPlan PLAN = new BenchPlan(
      "test",
      1, // and a warm-up: both begin on the bystander's server
      Duration.ofSeconds(2),
      Duration.ofMillis(50),
      Duration.ZERO,
      Duration.ZERO,
      Duration.ZERO);
  private static final ServerAddress OTHER =
      ServerAddress.parse(ServerKind.POSTGRES, "postgres://bob@127.0.0.1:1/elsewhere");

  private static PostgresServer server;
  private static ServerAddress here;
  private static SqlPool pool;

  private final Row row = new Row();
  private final Progress progress = new Progress(new PrintWriter(new StringWriter()));

  @BeforeAll
  static void start() {
    // How long a disk takes for a commit must not decide.
    server = TestPostgres.builder().option("fsync", "off").start();
    here = ServerAddress.parse(ServerKind.POSTGRES, server.uri());
    pool = SqlPool.open(here, 1);
  }

  @AfterAll
  static void stop() {
    pool.close();
    server.close();
  }

  @AfterEach
  void giveTheRowBack() {
    row.giveBack();
  }

  @Test
  void theRatioIsThatOfTheLocksServerToTheOtherOne() throws InterruptedException {
    List<ServerAddress> fights = Collections.synchronizedList(new ArrayList<>());
    List<BystanderResult> results =
        measure(subject("noisy", Subject.Kind.OURS, new InThisJvm(), address -> {
          fights.add(address);
          switch (fights.size()) {
            case 1 -> row.keep(); // in the warm-up, so nothing is committed once that counts
            case 4 -> {
              row.giveBack();
              row.awaitCommits();
            }
            default -> {}
          }
        }));

    assertThat(fights).as("warm-up, then a round").containsExactly(here, OTHER, here, OTHER);
    assertThat(results).singleElement().satisfies(noisy -> {
      assertThat(noisy.commitsPerSecond()).isZero();
      assertThat(noisy.elsewhere()).isPositive();
      assertThat(noisy.toElsewhere().median()).isZero();
    });
  }

  @Test
  void oursAreMeasuredBesideABystanderThatIsFree() throws InterruptedException {
    List<BystanderResult> results = measure(
        subject("quiet", Subject.Kind.OURS, new InThisJvm(), address -> row.awaitCommits()),
        subject("other", Subject.Kind.OURS, new InThisJvm(), address -> row.awaitCommits()),
        subject("peer", Subject.Kind.PEER, new InThisJvm(), address -> {}));

    assertThat(results).extracting(BystanderResult::id).containsExactly("quiet", "other");
    assertThat(results).allSatisfy(result -> {
      assertThat(result.sectionsPerSecond()).isPositive();
      assertThat(result.commitsPerSecond()).isPositive();
      assertThat(result.elsewhere()).isPositive();
      assertThat(result.toElsewhere().median()).isPositive();
    });
  }

  @Test
  void aLockThatLetsTwoInIsAFailure() throws InterruptedException {
    try (OpenSubjects open =
        open(subject("broken", Subject.Kind.OURS, new NoLock(), address -> {}))) {
      BystanderRun run = new BystanderRun(open, here, OTHER, PLAN, "test:", progress);

      assertThat(run.measure()).isEmpty();
      assertThat(run.failures()).singleElement().satisfies(failure -> {
        assertThat(failure.subject()).isEqualTo("broken");
        assertThat(failure.where()).isEqualTo("bystander");
        assertThat(failure.message()).contains("two held the lock at once");
      });
    }
  }

  private List<BystanderResult> measure(Subject... subjects) throws InterruptedException {
    try (OpenSubjects open = open(subjects)) {
      BystanderRun run = new BystanderRun(open, here, OTHER, PLAN, "test:", progress);
      List<BystanderResult> results = run.measure();
      assertThat(run.failures()).isEmpty();
      return results;
    }
  }

  private OpenSubjects open(Subject... subjects) {
    return new OpenSubjects(List.of(subjects), here, 2, 32, progress);
  }

  /**
   * A subject with one lock.
   *
   * @param begun called when the fight begins on a server, within the time that is measured
   */
  private static Subject subject(
      String id, Subject.Kind kind, SectionLock lock, Consumer<ServerAddress> begun) {
    AtomicReference<ServerAddress> last = new AtomicReference<>();
    return new Subject(id, id, kind, "library 1", (address, threads) -> new SectionClient() {
      @Override
      public SectionLock lock(String name) {
        if (!address.equals(last.getAndSet(address))) {
          begun.accept(address);
        }
        return lock;
      }

      @Override
      public void close() {}
    });
  }

  private static final class InThisJvm implements SectionLock {
    private final ReentrantLock lock = new ReentrantLock(true);

    @Override
    public void lock() throws InterruptedException {
      lock.lockInterruptibly();
      Thread.sleep(1);
    }

    @Override
    public void unlock() {
      lock.unlock();
    }
  }

  /** The bystander's row, as others see it. */
  private static final class Row {
    private static final String TABLE = "interlock_bench_bystander";

    private @Nullable Connection keeper;

    /** Keeps the row from the bystander. Returns once that waits for it. */
    void keep() {
      try {
        keeper = pool.source().getConnection();
        keeper.setAutoCommit(false);
        try (Statement statement = keeper.createStatement()) {
          statement.executeUpdate("UPDATE " + TABLE + " SET items = items");
          while (number(
                  statement,
                  "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted")
              == 0) {
            Thread.onSpinWait();
          }
        }
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    /** Lets the bystander go on, if the row is kept. */
    void giveBack() {
      if (keeper == null) {
        return;
      }
      try {
        keeper.rollback();
        keeper.close();
        keeper = null;
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    /** Returns once the bystander has counted another commit: it does so before the next one. */
    void awaitCommits() {
      try (Connection connection = pool.source().getConnection();
          Statement statement = connection.createStatement()) {
        String items = "SELECT items FROM " + TABLE;
        long counted = number(statement, items) + 2;
        while (number(statement, items) < counted) {
          Thread.onSpinWait();
        }
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    private static long number(Statement statement, String query) throws SQLException {
      try (ResultSet result = statement.executeQuery(query)) {
        result.next();
        return result.getLong(1);
      }
    }
  }

  private static final class NoLock implements SectionLock {
    @Override
    public void lock() {}

    @Override
    public void unlock() {}
  }
}
