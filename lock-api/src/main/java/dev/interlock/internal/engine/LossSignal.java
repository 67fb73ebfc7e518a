package dev.interlock.internal.engine;

import dev.interlock.LostReason;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells of the loss of a hold. Thread-safe.
 *
 * <p>Not a future, which keeps whatever was hung on it until it is completed: a hold may last for
 * days, and its owner may enter and leave it all the time.
 */
final class LossSignal {
  /** So many are kept without a look at who of them is over. */
  private static final int FEW = 8;

  /** Wants to hear of it. */
  interface Listener {
    /** It does not want to hear of it any more, and never will. */
    boolean isOver();

    /** Called once, on a thread where the application's actions may run. */
    void lost(LostReason reason);
  }

  // Guarded by this.
  private final List<Listener> listeners = new ArrayList<>(0);
  private int lookAt = FEW;
  private @Nullable LostReason told;

  /** Tells it of the loss, or at once if that has been told. */
  void add(Listener listener) {
    LostReason reason = unlessTold(listener);
    if (reason != null) {
      listener.lost(reason);
    }
  }

  private synchronized @Nullable LostReason unlessTold(Listener listener) {
    if (told == null) {
      if (listeners.size() >= lookAt) {
        listeners.removeIf(Listener::isOver);
        lookAt = Math.max(FEW, 2 * listeners.size()); // so that the looks cost little, however many
      }
      listeners.add(listener);
    }
    return told;
  }

  /** Tells of the loss, once. */
  void tell(LostReason reason) {
    toTell(reason).forEach(listener -> listener.lost(reason));
  }

  private synchronized List<Listener> toTell(LostReason reason) {
    if (told != null) {
      return List.of();
    }
    told = reason;
    List<Listener> all = List.copyOf(listeners);
    listeners.clear();
    return all;
  }
}
