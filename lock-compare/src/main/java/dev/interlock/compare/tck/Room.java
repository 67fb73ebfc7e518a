package dev.interlock.compare.tck;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * How many kits may be at work at the same time. At first each runs many rules side by side, and
 * keeps a processor busy; that many may do so. Later it runs one rule after the other and mostly
 * waits, which some more may do beside those. Thread-safe.
 */
public final class Room {
  private final Semaphore busy;
  private final Semaphore all;

  /**
   * Makes room.
   *
   * @param busy for so many that keep a processor busy
   * @param all for so many, with those that mostly wait
   */
  Room(int busy, int all) {
    this.busy = new Semaphore(busy, true);
    this.all = new Semaphore(all, true);
  }

  /** For one busy kit on each processor. All others cost memory, so there is an end to those. */
  public static Room ofThisMachine() {
    int processors = Runtime.getRuntime().availableProcessors();
    return new Room(processors, 2 * processors + 1);
  }

  /** Blocks until there is room for one more that is busy. */
  public Place enter() throws InterruptedException {
    all.acquire();
    try {
      busy.acquire();
    } catch (InterruptedException e) {
      all.release();
      throw e;
    }
    return new Place(busy, all);
  }

  /** What one kit takes up. Thread-safe. */
  public static final class Place implements AutoCloseable {
    private final Semaphore busy;
    private final Semaphore all;
    private final AtomicBoolean isCalm = new AtomicBoolean();
    private final AtomicBoolean isLeft = new AtomicBoolean();

    private Place(Semaphore busy, Semaphore all) {
      this.busy = busy;
      this.all = all;
    }

    /** From now on it mostly waits. */
    public void calm() {
      if (isCalm.compareAndSet(false, true)) {
        busy.release();
      }
    }

    /** It has ended. */
    @Override
    public void close() {
      calm();
      if (isLeft.compareAndSet(false, true)) {
        all.release();
      }
    }
  }
}
