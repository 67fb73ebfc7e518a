package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.contract.TestClient;
import dev.interlock.mysql.internal.statements.LockKey;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult.Queued;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A waiter that has had the lock already, too far behind for the release to see its entry. */
@Timeout(60)
class UnseenEntryTest {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final int PASSED_OVER = 70; // more than a transaction reads at once

  private final String namespace = Server.freshNamespace();
  private final AtomicBoolean releases = new AtomicBoolean();
  private final AtomicBoolean refuses = new AtomicBoolean();

  @Test
  void e2_aReleaseStaysDoneThoughTheEntryCannotBeRemoved() throws SQLException {
    try (TestClient client = OddPool.client(namespace, (usual, sql) -> {
      if (sql.contains("FOR UPDATE") && refuses.getAndSet(false)) {
        throw new SQLException("The table is full", "HY000", 1114);
      }
      if (sql.contains("COMMIT") && releases.getAndSet(false)) {
        refuses.set(true);
      }
      return usual;
    })) {
      HoldId holder = client.id();
      client.attempt("a", holder, Duration.ZERO);
      addThoseWhoArePassedOver();
      HoldId heir = client.id();
      assertThat(client.attempt("a", heir, LONG)).isInstanceOf(Queued.class);
      Attempt next =
          Attempt.of("a", client.id(), "owner", TestClient.LEASE).withFair(true).withPatience(LONG);
      releases.set(true);
      ReleaseResult result = HandOffBackend.release(
          client.backend, Release.of("a", holder).withPassed(List.of(heir)).withNext(next));
      assertThat(releases).isFalse();
      assertThat(refuses).as("the abandonment was refused").isFalse();
      assertThat(result.held()).isTrue();
      assertThat(result.next()).isInstanceOf(Queued.class);
    }
  }

  private void addThoseWhoArePassedOver() {
    LockKey at = LockKey.of(namespace, "a");
    String key = namespace + ":a";
    Server.shared()
        .execute("INSERT INTO interlock_entry (bucket, lock_key, kind, ticket, client, hold,"
            + " owner, shared, host, since_us, until_us, lease_us, tokens, asleep, listens)"
            + " WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
            + PASSED_OVER + ") SELECT " + at.bucket() + ", '" + key + "', 1, 100 + i, 77, i,"
            + " '', 0, '', 0, 9e15, 1000000, 1, 1, 0 FROM n");
    Server.shared()
        .execute("UPDATE interlock_lock SET entries = " + PASSED_OVER + ", next_ticket = "
            + (101 + PASSED_OVER) + " WHERE bucket = " + at.bucket() + " AND lock_key = '" + key
            + "'");
  }
}
