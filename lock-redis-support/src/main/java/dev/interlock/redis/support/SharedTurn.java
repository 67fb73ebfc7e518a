package dev.interlock.redis.support;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Work that is done by one thread at a time: those who come while it is done wait, and whoever of
 * them is next does it for all of them at once. Thread-safe; blocks as long as the work twice.
 *
 * @param <T> what one thread wants; has the answer once {@link #join} has returned
 */
public final class SharedTurn<T> {
  private final Consumer<List<T>> work;
  private final Queue<T> waiting = new ConcurrentLinkedQueue<>();
  private final ReentrantLock turn = new ReentrantLock();

  /**
   * Makes one that nobody waits for.
   *
   * @param work answers all that is wanted; at least one
   */
  public SharedTurn(Consumer<List<T>> work) {
    this.work = work;
  }

  /**
   * Waits until the work was done for this, by the caller or by another thread.
   *
   * @param mine what the caller wants; if the work fails in another thread, it has no answer
   */
  public void join(T mine) {
    waiting.add(mine);
    turn.lock();
    try {
      if (waiting.remove(mine)) {
        List<T> all = new ArrayList<>();
        all.add(mine);
        for (T other = waiting.poll(); other != null; other = waiting.poll()) {
          all.add(other);
        }
        work.accept(all);
      }
    } finally {
      turn.unlock();
    }
  }
}
