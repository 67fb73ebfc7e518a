package dev.interlock.internal.running;

import dev.interlock.LockException;
import dev.interlock.LockKind;
import dev.interlock.LockListener;
import dev.interlock.LostReason;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Consumer;

/**
 * Tells all listeners, and survives those that throw. An event is told on the thread at work, which
 * is the application's or does I/O for it; on one that must not block, it is put off to a thread of
 * its own, and so is every later event of the lock until it was told. So what follows from an event
 * is told after it.
 */
public final class Listeners implements LockListener {
  private static final Logger LOG = System.getLogger("dev.interlock");
  private static final int STRIPES = 64; // a power of two

  private final List<LockListener> listeners;
  private final ClientThreads threads;
  // How many events of locks of a stripe were put off and not told yet.
  private final AtomicIntegerArray putOff = new AtomicIntegerArray(STRIPES);

  public Listeners(List<LockListener> listeners, ClientThreads threads) {
    this.listeners = listeners;
    this.threads = threads;
  }

  @Override
  public void attempt(String name) {
    tell(name, listener -> listener.attempt(name));
  }

  @Override
  public void waiting(String name, LockKind kind) {
    tell(name, listener -> listener.waiting(name, kind));
  }

  @Override
  public void acquired(String name, LockKind kind, long fencingToken, Duration waited) {
    tell(name, listener -> listener.acquired(name, kind, fencingToken, waited));
  }

  @Override
  public void released(String name, LockKind kind, long fencingToken, Duration held) {
    tell(name, listener -> listener.released(name, kind, fencingToken, held));
  }

  @Override
  public void renewed(String name, long fencingToken, Duration lease) {
    tell(name, listener -> listener.renewed(name, fencingToken, lease));
  }

  @Override
  public void lost(String name, LockKind kind, long fencingToken, LostReason reason) {
    tell(name, listener -> listener.lost(name, kind, fencingToken, reason));
  }

  @Override
  public void abandoned(String name) {
    tell(name, listener -> listener.abandoned(name));
  }

  @Override
  public void backendError(String operation, String name, LockException error) {
    tell(name, listener -> listener.backendError(operation, name, error));
  }

  private void tell(String name, Consumer<LockListener> event) {
    if (hasSome()) {
      run(name, () -> tellHere(event));
    }
  }

  /** Whether there is anybody to tell. */
  public boolean hasSome() {
    return !listeners.isEmpty();
  }

  /** Tells it on this thread. Call it by {@link #run}, which chooses the thread. */
  public void tellHere(Consumer<LockListener> event) {
    for (LockListener listener : listeners) {
      try {
        event.accept(listener);
      } catch (Throwable e) { // an Error, too, would leave a lock half granted
        quietly(() -> LOG.log(Level.WARNING, "A LockListener threw; the lock is not affected", e));
      }
    }
  }

  /** Survives a logger that throws: to report that would fail again, and again. */
  static void quietly(Runnable notice) {
    try {
      notice.run();
    } catch (Throwable e) {
      // Nobody is left to tell.
    }
  }

  /** Runs what may block, after what has happened to the lock before was told. */
  public void run(String name, Runnable notice) {
    int hash = name.hashCode();
    int stripe = (hash ^ (hash >>> 16)) & (STRIPES - 1);
    if (!MustNotBlock.here() && putOff.get(stripe) == 0) {
      quietly(notice);
      return;
    }
    putOff.incrementAndGet(stripe);
    boolean willRun = false;
    try {
      willRun = threads.notice(() -> {
        try {
          notice.run();
        } finally {
          putOff.decrementAndGet(stripe);
        }
      });
    } finally {
      if (!willRun) {
        putOff.decrementAndGet(stripe);
      }
    }
  }
}
