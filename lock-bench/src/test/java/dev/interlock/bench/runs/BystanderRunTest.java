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
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A lock that holds the bystander up where it is, and one that nobody notices. */
@Timeout(120)
class BystanderRunTest {
  private static final BenchPlan PLAN = new BenchPlan(
      "test",
      1, // so the lock is on the other server in the end, and the bystander is free
      Duration.ofMillis(500),
      Duration.ofMillis(50),
      Duration.ZERO,
      Duration.ZERO,
      Duration.ZERO);
  private static final ServerAddress OTHER =
      ServerAddress.parse(ServerKind.POSTGRES, "postgres://bob@127.0.0.1:1/elsewhere");

  private static PostgresServer server;
  private static ServerAddress here;
  private static SqlPool pool;

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

  @Test
  void theRatioIsThatOfTheLocksServerToTheOtherOne() throws InterruptedException {
    Row row = new Row();
    List<BystanderResult> results = measure(
        subject("quiet", Subject.Kind.OURS, new InThisJvm(), address -> {}),
        subject("noisy", Subject.Kind.OURS, new InThisJvm(), row::keepOrGiveBack),
        subject("peer", Subject.Kind.PEER, new InThisJvm(), address -> {}));

    assertThat(results).extracting(BystanderResult::id).containsExactly("quiet", "noisy");
    assertThat(results).allSatisfy(result -> {
      assertThat(result.sectionsPerSecond()).isPositive();
      assertThat(result.elsewhere()).isPositive();
    });
    assertThat(results.get(0).commitsPerSecond()).isPositive();
    // Whatever is committed there comes before the row is taken.
    assertThat(results.get(1).toElsewhere().median()).isLessThan(1);
    assertThat(results.get(1).commitsPerSecond()).isLessThan(results.get(1).elsewhere());
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
   * @param asked called for each thread before it begins
   */
  private static Subject subject(
      String id, Subject.Kind kind, SectionLock lock, Consumer<ServerAddress> asked) {
    return new Subject(id, id, kind, "library 1", (address, threads) -> new SectionClient() {
      @Override
      public SectionLock lock(String name) {
        asked.accept(address);
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

  /** The bystander's row, kept from the bystander while the lock on its server is fought for. */
  private static final class Row {
    private @Nullable Connection keeper;

    void keepOrGiveBack(ServerAddress where) {
      try {
        if (where.equals(here) && keeper == null) {
          keeper = pool.source().getConnection();
          keeper.setAutoCommit(false);
          keeper
              .createStatement()
              .executeUpdate("UPDATE interlock_bench_bystander SET items = items");
        } else if (!where.equals(here) && keeper != null) {
          keeper.rollback();
          keeper.close();
          keeper = null;
        }
      } catch (SQLException e) {
        throw new IllegalStateException(e);
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
