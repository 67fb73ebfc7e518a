package dev.interlock.compare.peers;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import java.util.concurrent.Callable;

/** Turns what the libraries throw into the exceptions that the kit knows. */
final class PeerErrors {
  private PeerErrors() {}

  /**
   * Calls, and translates. An exception that was caused by an interruption becomes an
   * {@link InterruptedException}, although some libraries do not throw it where they declare it:
   * what is judged is what the interruption leaves behind.
   */
  static <T> T call(Callable<T> call) throws InterruptedException {
    try {
      return call.call();
    } catch (UnsupportedOperationException
        | IllegalMonitorStateException
        | IllegalArgumentException
        | LockException e) {
      throw e;
    } catch (Exception e) {
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof InterruptedException) {
          // Redisson sets the flag again, which goes with its own exception, not with this one.
          Thread.interrupted();
          InterruptedException interrupted = new InterruptedException(e.toString());
          interrupted.initCause(e);
          throw interrupted;
        }
      }
      throw new BackendUnavailableException(e.toString(), e);
    }
  }

  /** The same for calls that no interruption ends. */
  static <T> T callUninterruptibly(Callable<T> call) {
    try {
      return call(call);
    } catch (InterruptedException e) {
      throw new BackendUnavailableException("interrupted in a call that cannot be: " + e, e);
    }
  }
}
