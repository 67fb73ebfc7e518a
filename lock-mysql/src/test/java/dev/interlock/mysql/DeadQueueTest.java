package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.mysql.internal.statements.LockKey;
import dev.interlock.testservers.MysqlServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client that died has left more waiters than a transaction can name one by one in its time. */
@Tag("thorough")
@Timeout(120)
class DeadQueueTest {
  private static final int DEAD = 100_000;

  @Test
  void f4_aQueueOfVeryManyDeadKeepsNobodyFromTheLock() throws Exception {
    MysqlServer server = Server.shared();
    String namespace = Server.freshNamespace();
    try (LockClient client = Locks.open(server.uri() + "?schema=create&namespace=" + namespace)) {
      Lease held = client.acquire(LockRequest.of("a").withLease(Duration.ofMinutes(5)));
      // For three seconds a client that has just connected counts those who may come back.
      TimeUnit.SECONDS.sleep(4);
      String key = namespace + ":a";
      int bucket = LockKey.of(namespace, "a").bucket();
      server.execute("INSERT INTO interlock_entry (bucket, lock_key, kind, ticket, client, hold,"
          + " owner, shared, host, since_us, until_us, lease_us, tokens, asleep, listens)"
          + " WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)"
          + " SELECT " + bucket + ", '" + key + "', 1, 1 + 1000 * x.i + y.i, 77, 1000 * x.i + y.i,"
          + " '', 0, '', 0, 1, 1000000, 1, 0, 0 FROM n x, n y WHERE x.i < " + DEAD / 1_000);
      server.execute("UPDATE interlock_lock SET entries = " + DEAD + ", next_ticket = " + (DEAD + 1)
          + " WHERE bucket = " + bucket + " AND lock_key = '" + key + "'");

      held.release();
      client.acquire(LockRequest.of("a").withWait(Duration.ofSeconds(20))).release();
      assertThat(server.execute("SELECT COUNT(*) FROM interlock_entry WHERE bucket = " + bucket
              + " AND lock_key = '" + key + "'"))
          .isEqualTo("0");
    }
  }
}
