package dev.interlock.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.contract.TestClient;
import dev.interlock.spi.HoldId;
import dev.interlock.testservers.DatabasePair;
import dev.interlock.testservers.DatabaseServer;
import dev.interlock.testservers.NoTestServerException;
import dev.interlock.testservers.TestPostgres;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A standby takes over that has been up for long. */
@Tag("thorough")
@Timeout(120)
class PromotedStandbyTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @Test
  void d2_theOrderIsKeptEvenIfAllEntriesRanOutBeforeTheStandbyTookOver() {
    try (DatabasePair pair = start()) {
      DatabaseServer primary = pair.primary();
      DatabaseServer standby = pair.standby();
      String uri = primary
              .uri()
              .replaceFirst(
                  ":" + primary.port() + "/",
                  ":" + primary.port() + "," + standby.host() + ":" + standby.port() + "/")
          + "?connectTimeout=PT1S";
      try (TestClient holder = Server.client(uri + "&schema=create");
          TestClient first = Server.client(uri);
          TestClient second = Server.client(uri)) {
        HoldId held = holder.id();
        HoldId early = first.id();
        HoldId late = second.id();
        holder.attempt("a", held, Duration.ZERO, Duration.ofMinutes(2));
        first.attempt("a", early, PATIENCE);
        second.attempt("a", late, PATIENCE);
        pair.awaitReplicated();
        Awaitility.await()
            .atMost(Duration.ofSeconds(20))
            .until(() -> standby
                .execute("SELECT CLOCK_TIMESTAMP() > PG_POSTMASTER_START_TIME() + INTERVAL '4 s'")
                .equals("t"));
        primary.kill();
        pair.promote();
        standby.execute("UPDATE interlock_entry SET until_us = until_us - 25000000");

        // The holder comes back first, while the others have not given a sign of life yet.
        Awaitility.await()
            .ignoreExceptions()
            .until(() -> holder.release("a", held).held());
        assertThat(first.release("a", early).held()).isTrue();
        assertThat(second.release("a", late).held()).isTrue();
      }
    }
  }

  private static DatabasePair start() {
    try {
      return TestPostgres.pair();
    } catch (NoTestServerException e) {
      return Assumptions.abort("no server here for a standby: " + e.getMessage());
    }
  }
}
