package dev.interlock.spring;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Watches the requests of {@link LockGate}; the client's own events come by its listeners. */
interface LockMeter {
  /** Watches nothing. */
  LockMeter NONE = (label, name, waits) -> (entered, failure) -> {};

  /**
   * A request begins.
   *
   * @param label what it stands for; one of few
   * @param name the lock
   * @param waits whether it waits for a lock that is busy
   */
  Wait start(String label, String name, boolean waits);

  /** A request that has begun. */
  interface Wait {
    /**
     * It has ended.
     *
     * @param entered whether it has the lock
     * @param failure what was thrown; null also if the lock was busy
     */
    void end(boolean entered, @Nullable Throwable failure);
  }

  /** Joins several into one. */
  static LockMeter of(List<LockMeter> meters) {
    return switch (meters.size()) {
      case 0 -> NONE;
      case 1 -> meters.get(0);
      default ->
        (label, name, waits) -> {
          List<Wait> started = new ArrayList<>(meters.size());
          meters.forEach(meter -> started.add(meter.start(label, name, waits)));
          return (entered, failure) -> started.forEach(wait -> wait.end(entered, failure));
        };
    };
  }
}
