package dev.interlock.internal.engine;

import dev.interlock.LockListener;
import dev.interlock.LostReason;
import dev.interlock.internal.running.Listeners;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Tells listeners of the begin and of the end of every hold: each once, the begin first, and the
 * end before the begin of the next hold of the lock in this client. What there is to tell is looked
 * at where it is told, perhaps later on a thread that may wait: so what was put off finds what
 * another thread is telling meanwhile, and waits for it.
 */
final class HoldNews {
  private final Listeners listeners;

  HoldNews(Listeners listeners) {
    this.listeners = listeners;
  }

  /** Call it before the holder may release it. Does nothing for a re-entry. */
  void began(Hold hold, long waited) {
    if (listeners.hasSome() && hold.beginsToTell()) {
      listeners.run(hold.name(), () -> tellBegin(hold, waited));
    }
  }

  /** Meanwhile nobody tells its end, nor what comes after that. */
  private void tellBegin(Hold hold, long waited) {
    ReentrantLock telling = hold.telling();
    telling.lock();
    try {
      listeners.tellHere(listener ->
          listener.acquired(hold.name(), hold.kind(), hold.token(), Duration.ofNanos(waited)));
      hold.beginTold();
      if (hold.reason() != null) {
        tellEnd(hold); // lost meanwhile; of a release, who releases it knows the outcome
      }
    } finally {
      telling.unlock();
    }
  }

  /**
   * Call it once the hold has ended, and before another may begin on that account. Whoever comes
   * second waits until the first has told it, or what it tells next waits, if it must not itself.
   */
  void ended(Hold hold) {
    if (listeners.hasSome()) {
      listeners.run(hold.name(), () -> tellEnd(hold));
    }
  }

  private void tellEnd(Hold hold) {
    ReentrantLock telling = hold.telling();
    telling.lock();
    try {
      if (hold.tellEnd()) {
        LostReason reason = hold.reason(); // one look, so that all hear the same
        listeners.tellHere(listener -> tellEnd(listener, hold, reason));
      }
    } finally {
      telling.unlock();
    }
  }

  private static void tellEnd(LockListener listener, Hold hold, @Nullable LostReason reason) {
    if (reason == null) {
      listener.released(hold.name(), hold.kind(), hold.token(), Duration.ofNanos(hold.held()));
    } else {
      listener.lost(hold.name(), hold.kind(), hold.token(), reason);
    }
  }
}
