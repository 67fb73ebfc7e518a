package dev.interlock.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.contract.TestClient;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A batch of which the release is done, and the attempts meet a fault after a long time. */
@Timeout(60)
class LateAttemptsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final PostgresServer server = Server.shared();
  private final String prefix = Server.freshNamespace() + "_";

  @Test
  void w4_whoseTimeIsOverFailsWithThemAlthoughTheReleaseWasDone() throws Exception {
    String uri = Server.uri() + "&timeout=PT1M&tablePrefix=" + prefix;
    try (TestClient client = Server.client(uri);
        Connection outside =
            DriverManager.getConnection(server.jdbcUrl(), server.user(), server.password());
        Statement statement = outside.createStatement()) {
      HoldId held = client.id();
      HoldId waiter = client.id();
      client.attempt("a", held, Duration.ZERO);
      client.attempt("a", waiter, PATIENCE);
      confirmationsHang(statement);
      outside.setAutoCommit(false);
      statement.execute("SELECT * FROM " + prefix + "lock FOR UPDATE");
      Call<AttemptResult> first = new Call<>(() -> client.attempt("a", client.id(), PATIENCE));
      Awaitility.await().until(() -> sessions("wait_event_type = 'Lock'").equals("1"));
      // The first of those who wait leads them, and so has its answer when they have theirs.
      Call<ReleaseResult> release = new Call<>(() -> client.release("a", held));
      Awaitility.await().until(release::isParked);
      Call<AttemptResult> confirmation = new Call<>(() -> client.attempt("a", waiter, PATIENCE));
      Awaitility.await().until(confirmation::isParked);
      outside.rollback();
      first.get();

      String hanging = "wait_event = 'PgSleep'";
      Awaitility.await().until(() -> sessions(hanging).equals("1"));
      Call<AttemptResult> late = new Call<>(() -> client.attempt("a", client.id(), Duration.ZERO));
      Awaitility.await().until(late::isParked);
      TimeUnit.MILLISECONDS.sleep(1_100); // so long it may be late
      server.execute("SELECT PG_TERMINATE_BACKEND(pid) FROM pg_stat_activity WHERE " + hanging);

      assertThat(release.get().held()).isTrue();
      assertThatThrownBy(confirmation::get).hasCauseInstanceOf(OutcomeUnknownException.class);
      assertThatThrownBy(late::get)
          .hasCauseInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("not asked for, since an earlier attempt failed");
    }
  }

  private void confirmationsHang(Statement statement) throws Exception {
    statement.execute("CREATE FUNCTION " + prefix + "hang() RETURNS trigger LANGUAGE plpgsql AS $$"
        + " BEGIN IF OLD.hold = NEW.hold AND NEW.until_us > OLD.until_us THEN"
        + " PERFORM PG_SLEEP(50); END IF; RETURN NEW; END $$");
    statement.execute("CREATE TRIGGER hang BEFORE UPDATE ON " + prefix + "lock FOR EACH ROW"
        + " EXECUTE FUNCTION " + prefix + "hang()");
  }

  private String sessions(String which) {
    return server.execute("SELECT COUNT(*) FROM pg_stat_activity WHERE query LIKE '%" + prefix
        + "%' AND pid <> PG_BACKEND_PID() AND " + which);
  }

  private static final class Call<T> {
    private final FutureTask<T> task;
    private final Thread thread;

    Call(Callable<T> call) {
      this.task = new FutureTask<>(call);
      this.thread = new Thread(task);
      thread.start();
    }

    boolean isParked() {
      return thread.getState() == Thread.State.WAITING;
    }

    T get() throws Exception {
      return task.get(20, TimeUnit.SECONDS);
    }
  }
}
