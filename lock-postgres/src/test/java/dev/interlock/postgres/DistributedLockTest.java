package dev.interlock.postgres;

import dev.interlock.contract.DistributedLockContract;

/** A thread-owned lock behaves as users of ReentrantLock expect. */
class DistributedLockTest extends DistributedLockContract {
  private static final String URI = Server.uri();

  @Override
  protected String uri() {
    return URI;
  }
}
