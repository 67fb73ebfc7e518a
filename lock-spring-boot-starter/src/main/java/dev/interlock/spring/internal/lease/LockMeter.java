package dev.interlock.spring.internal.lease;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Watches the requests of {@link LockGate}; the client's own events come by its listeners. */
public interface LockMeter {
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

  /** The same for the requests of one client, if it tells them apart. */
  default LockMeter forClient(String client) {
    return this;
  }

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

  /** Joins several into one that never throws: no lock is lost for a meter that fails. */
  static LockMeter of(List<LockMeter> meters) {
    return switch (meters.size()) {
      case 0 -> NONE;
      case 1 -> guarded(meters.get(0));
      default -> {
        List<LockMeter> all = meters.stream().map(LockMeter::guarded).toList();
        yield (label, name, waits) -> {
          List<Wait> started = new ArrayList<>(all.size());
          all.forEach(meter -> started.add(meter.start(label, name, waits)));
          return (entered, failure) -> started.forEach(wait -> wait.end(entered, failure));
        };
      }
    };
  }

  private static LockMeter guarded(LockMeter meter) {
    return (label, name, waits) -> {
      try {
        Wait wait = meter.start(label, name, waits);
        return (entered, failure) -> {
          try {
            wait.end(entered, failure);
          } catch (RuntimeException | Error e) {
            failed(e);
          }
        };
      } catch (RuntimeException | Error e) {
        failed(e);
        return (entered, failure) -> {};
      }
    };
  }

  private static void failed(Throwable thrown) {
    Ending.LOG.log(Level.WARNING, "A meter or a handler of observations failed", thrown);
  }
}
