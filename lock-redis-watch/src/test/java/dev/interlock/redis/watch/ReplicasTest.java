package dev.interlock.redis.watch;

import dev.interlock.redis.support.contract.ReplicasContract;

/** Grants that count only once a replica has them. */
class ReplicasTest extends ReplicasContract {
  @Override
  protected String provider() {
    return RedisWatchProvider.ID;
  }

  @Override
  protected String notNeeded() {
    return "-@scripting";
  }

  @Override
  protected String fewConnections() {
    return "&poolSize=3";
  }
}
