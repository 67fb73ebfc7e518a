package dev.interlock.redis.hash;

import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.redis.support.contract.ReplicasContract;
import org.junit.jupiter.api.Test;

/** Grants that count only once a replica has them. */
class ReplicasTest extends ReplicasContract {
  @Override
  protected String provider() {
    return RedisHashProvider.ID;
  }

  @Override
  protected String notNeeded() {
    return "-@transaction";
  }

  @Override
  protected String fewConnections() {
    return ""; // three, whatever happens
  }

  @Test
  void scriptsThatTheServerForgotAreLoadedAgain() {
    try (LockClient client = openReplicated()) {
      client.tryAcquire(LockRequest.of("s")).orElseThrow().release();
      master.command("SCRIPT", "FLUSH");
      client.tryAcquire(LockRequest.of("s")).orElseThrow().release();
    }
  }
}
