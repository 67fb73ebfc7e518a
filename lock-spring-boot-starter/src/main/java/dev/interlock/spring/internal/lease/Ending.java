package dev.interlock.spring.internal.lease;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.function.Supplier;

/** How a lock is given up when the work under it has ended. */
public interface Ending {
  /** The logger of all that happens to a lease after its work. */
  Logger LOG = System.getLogger("dev.interlock.spring");

  /**
   * Gives up the lock.
   *
   * @throws LeaseLostException if the lease was lost before
   */
  void end();

  /**
   * Gives up the lock after work that failed.
   *
   * @throws LeaseLostException if the lease was lost before; with the failure as its cause
   */
  default void endAfter(Throwable failure) {
    try {
      end();
    } catch (LeaseLostException e) {
      LeaseLostException lost = new LeaseLostException(
          String.valueOf(e.getMessage()),
          e.name(),
          e.fencingToken(),
          e.reason().orElse(null),
          failure);
      lost.addSuppressed(e);
      throw lost;
    } catch (RuntimeException | Error e) {
      failure.addSuppressed(e);
    }
  }

  /** Called when the call has returned whose work goes on, by now on any thread. */
  default void detach() {}

  /** Gives up the lock when nobody is there to hear of a loss. */
  default void endQuietly(String name) {
    try {
      end();
    } catch (LockException e) {
      LOG.log(Level.WARNING, "The lock ''{0}'' was gone when its work had ended: {1}", name, e);
    } catch (RuntimeException | Error e) { // others are yet to be given up
      LOG.log(Level.WARNING, "The release of a lock failed", e);
    }
  }

  /** Makes something of an entry into a lock; if that fails, nobody else would give it up. */
  static <T> T orEnd(Ending entered, Supplier<T> made) {
    try {
      return made.get();
    } catch (RuntimeException | Error e) {
      entered.endAfter(e);
      throw e;
    }
  }

  /**
   * Releases the lease. A release whose answer is lost is repeated by the engine; the work was done
   * while the lease was valid, so its caller need not know.
   */
  static Ending release(Lease lease) {
    return () -> {
      try {
        lease.release();
      } catch (OutcomeUnknownException | BackendUnavailableException e) {
        LOG.log(Level.DEBUG, "The release of a lock was not confirmed", e);
      }
    };
  }
}
