package dev.interlock.redis.setnx;

import dev.interlock.redis.support.contract.ReplicasContract;

/** Grants that count only once a replica has them. */
class ReplicasTest extends ReplicasContract {
  @Override
  protected String provider() {
    return RedisSetnxProvider.ID;
  }

  @Override
  protected String notNeeded() {
    return "-@transaction";
  }

  @Override
  protected String fewConnections() {
    return "&poolSize=3";
  }
}
