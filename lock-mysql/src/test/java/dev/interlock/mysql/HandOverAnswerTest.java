package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.OutcomeUnknownException;
import dev.interlock.contract.TestClient;
import dev.interlock.mysql.internal.queue.LocalClient;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.testservers.MysqlServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A release whose wake-up reaches nobody, so that what it did has to be asked for. */
@Timeout(60)
class HandOverAnswerTest {
  private final String namespace = Server.freshNamespace();
  private final AtomicBoolean isOdd = new AtomicBoolean();

  /**
   * A driver with several servers may ask in another session, where another release was the last
   * one.
   */
  @Test
  void e2_theAnswerOfAnotherSessionIsNotTakenForThatOfTheRelease() throws SQLException {
    MysqlServer server = Server.shared();
    try (Connection elsewhere =
        new OddPool(server, server.database(), (usual, sql) -> usual).getConnection()) {
      try (Statement before = elsewhere.createStatement()) { // as another release leaves them
        before.execute("SET @interlock_done = 1, @interlock_transaction = 0");
      }
      releaseLeavesItsOutcomeUnknown((usual, sql) -> elsewhere);
    }
  }

  /** The session forgot what the driver prepared in it; the server ended the question. */
  @ParameterizedTest
  @ValueSource(ints = {1243, 1969})
  void e2_anErrorInsteadOfTheAnswerDoesNotSayThatNothingWasDone(int code) throws SQLException {
    releaseLeavesItsOutcomeUnknown((usual, sql) -> {
      throw new SQLException("no answer", "HY000", code);
    });
  }

  private void releaseLeavesItsOutcomeUnknown(OddPool.Route question) throws SQLException {
    try (TestClient client = OddPool.directClient(
            namespace,
            (usual, sql) -> isOdd.get() && sql.strip().startsWith("SELECT @interlock_done")
                ? question.of(usual, sql)
                : usual);
        TestClient two = Server.client(Server.shared().uri() + "?namespace=" + namespace)) {
      two.attempt("other", two.id(), Duration.ZERO);
      two.attempt("other", two.id(), Duration.ofMinutes(1)); // it listens from here on
      Awaitility.await().until(() -> ((LocalClient) two.backend).listens());
      HoldId holder = client.id();
      HoldId waiter = two.id();
      client.attempt("a", holder, Duration.ZERO);
      two.attempt("a", waiter, Duration.ofMinutes(1));
      client.release("a", holder); // from here on it expects waiters
      assertThat(two.attempt("a", waiter, Duration.ofMinutes(1))).isInstanceOf(Grant.class);
      two.release("a", waiter);
      HoldId alone = client.id();
      client.attempt("a", alone, Duration.ZERO);
      isOdd.set(true);
      assertThatThrownBy(() -> client.release("a", alone))
          .isInstanceOf(OutcomeUnknownException.class);
      isOdd.set(false);
      assertThat(client.release("a", alone)).isEqualTo(ReleaseResult.notHeld());
      assertThat(client.backend.inspect("a")).isEmpty();
    }
  }
}
