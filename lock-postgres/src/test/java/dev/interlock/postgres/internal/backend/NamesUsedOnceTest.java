package dev.interlock.postgres.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.contract.TestClient;
import dev.interlock.postgres.Server;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.testservers.PostgresServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Far more names than free rows are kept. No commit waits for the disk, as nothing crashes. */
@Timeout(180)
class NamesUsedOnceTest {
  private final PostgresServer server = Server.shared();
  private final String database = "ALTER DATABASE \"" + server.database() + "\" ";
  private TestClient one;

  @BeforeEach
  void open() {
    server.execute(database + "SET synchronous_commit = off");
    one = Server.client(Server.uri());
  }

  @AfterEach
  void close() {
    server.execute(database + "RESET synchronous_commit");
    one.close();
  }

  @Test
  void t2_tokensGoOnRisingWhenTheRowWasRemovedAndTheClockWasSetBack() {
    HoldId held = one.id();
    one.attempt("a", held, Duration.ZERO);
    long token = one.backend.inspect("a").orElseThrow().fencingToken();
    one.release("a", held);
    long far = token + 3_600_000_000L;
    server.execute("UPDATE interlock_lock SET last_token = " + far);
    for (int i = 0; i < 3_000; i++) {
      HoldId id = one.id();
      one.attempt("n" + i, id, Duration.ZERO);
      one.release("n" + i, id);
    }
    assertThat(Long.parseLong(server.execute("SELECT COUNT(*) FROM interlock_lock")))
        .isLessThanOrEqualTo(64 * 17);
    assertThat(one.attempt("a", one.id(), Duration.ZERO))
        .isInstanceOfSatisfying(
            Grant.class, granted -> assertThat(granted.fencingToken()).isGreaterThan(far));
  }
}
