package dev.interlock.internal.engine;

import dev.interlock.LockListener;
import dev.interlock.LostReason;
import dev.interlock.internal.running.MustNotBlock;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Tells listeners of the begin and of the end of every hold: each once, the begin first, and the
 * end before the begin of the next hold of the lock in this client.
 */
final class HoldNews {
  private final LockListener listener;

  HoldNews(LockListener listener) {
    this.listener = listener;
  }

  /** Call it before the holder may release it. Does nothing for a re-entry. */
  void began(Hold hold, long waited) {
    if (hold.beginsToTell()) {
      listener.acquired(hold.name(), hold.kind(), hold.token(), Duration.ofNanos(waited));
      hold.beginTold();
      ended(hold); // it may have been lost meanwhile
    }
  }

  /**
   * Call it once the hold has ended, and before another may begin on that account. Whoever comes
   * second waits until the first has told it, unless it must not wait.
   */
  void ended(Hold hold) {
    ReentrantLock telling = hold.telling();
    do {
      if (!MustNotBlock.here()) {
        telling.lock();
      } else if (!telling.tryLock()) {
        return; // whoever has it looks again
      }
      try {
        tellEnd(hold);
      } finally {
        telling.unlock();
      }
    } while (hold.hasEndToTell());
  }

  private void tellEnd(Hold hold) {
    if (!hold.tellEnd()) {
      return;
    }
    LostReason reason = hold.reason();
    if (reason == null) {
      listener.released(hold.name(), hold.kind(), hold.token(), Duration.ofNanos(hold.held()));
    } else {
      listener.lost(hold.name(), hold.kind(), hold.token(), reason);
    }
  }
}
