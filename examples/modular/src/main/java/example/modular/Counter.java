package example.modular;

import dev.interlock.DistributedLock;
import dev.interlock.LockClient;

/** Counts without losing a step, whatever provider the client is of. */
public final class Counter {
  private final DistributedLock lock;
  private int count;

  /**
   * @param client of any provider
   */
  public Counter(LockClient client) {
    lock = client.lock("counter");
  }

  /** One more. */
  public void step() {
    lock.lock();
    try {
      count++;
    } finally {
      lock.unlock();
    }
  }

  /**
   * @return how many steps
   */
  public int count() {
    return count;
  }
}
