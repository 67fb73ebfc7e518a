package dev.interlock.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.testservers.PostgresServer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The server cannot take the notification of a grant. */
@Timeout(60)
class UntoldReleaseTest {
  private final PostgresServer server = Server.shared();

  @Test
  void w3_theReleaseStandsAndTheWaiterFindsItsGrant() throws Exception {
    String uri = server.uri() + "?schema=create&tablePrefix=untold_";
    try (LockClient one = Locks.open(uri);
        LockClient two = Locks.open(uri)) {
      String procedure = server.execute("SELECT PG_GET_FUNCTIONDEF('untold_release'::regproc)");
      server.execute(procedure.replace(
          "PERFORM PG_NOTIFY(",
          "RAISE 'too many notifications' USING ERRCODE = '54000'; PERFORM PG_NOTIFY("));
      Lease held = one.acquire(LockRequest.of("a"));
      CompletableFuture<Lease> waiting = two.acquireAsync(LockRequest.of("a"));
      Awaitility.await().until(() -> one.inspect("a").orElseThrow().waiters() == 1);
      held.release();
      Lease next = waiting.get(20, TimeUnit.SECONDS);
      assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
      next.release();
    }
  }
}
