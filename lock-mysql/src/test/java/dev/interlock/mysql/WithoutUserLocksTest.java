package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.contract.TestClient;
import dev.interlock.spi.AttemptResult.Queued;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server that refuses {@code GET_LOCK}, as nodes of Galera do. */
@Timeout(60)
class WithoutUserLocksTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  /** Its clients cannot be woken, and look by themselves. */
  @ParameterizedTest
  @CsvSource({
    "42000, 1235", // MariaDB with wsrep_on
    "HY000, 1105" // Percona XtraDB Cluster with pxc_strict_mode
  })
  void e9_aClientIsOpenedThereAndDoesWithoutBeingWoken(String state, int code) throws Exception {
    String namespace = Server.freshNamespace();
    AtomicInteger refused = new AtomicInteger();
    try (TestClient holder =
            Server.client(Server.shared().uri() + "?schema=create&namespace=" + namespace);
        TestClient client = OddPool.directClient(namespace, (usual, sql) -> {
          if (sql.contains("GET_LOCK")) {
            refused.incrementAndGet();
            throw new SQLException("GET_LOCK is not supported here", state, code);
          }
          return usual;
        })) {
      HoldId held = holder.id();
      HoldId waiter = client.id();
      holder.attempt("a", held, Duration.ZERO);
      assertThat(client.attempt("a", waiter, LONG)).isInstanceOf(Queued.class);
      Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> refused.get() == 2);
      Awaitility.await()
          .during(Duration.ofSeconds(1))
          .atMost(Duration.ofSeconds(3))
          .until(() -> !CountedHoldsTest.listens(client));
      assertThat(refused).as("at opening, and once by its listener").hasValue(2);
      assertThat(holder.release("a", held).held()).isTrue();
      assertThat(client.granted("a", waiter, LONG)).isInstanceOf(Grant.class);
      assertThat(client.release("a", waiter).held()).isTrue();
    }
  }
}
