package dev.interlock.local;

import dev.interlock.contract.DistributedLockContract;

/** A thread-owned lock behaves as users of ReentrantLock expect. */
class DistributedLockTest extends DistributedLockContract {
  @Override
  protected String uri() {
    return "local://?namespace=DistributedLockTest";
  }
}
