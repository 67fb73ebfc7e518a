package dev.interlock.internal;

import dev.interlock.LockException;
import dev.interlock.LockListener;
import dev.interlock.LostReason;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Tells all listeners, and survives those that throw. */
final class Listeners implements LockListener {
  private static final Logger LOG = System.getLogger("dev.interlock");

  private final List<LockListener> listeners;

  Listeners(List<LockListener> listeners) {
    this.listeners = listeners;
  }

  @Override
  public void attempt(String name) {
    tell(listener -> listener.attempt(name));
  }

  @Override
  public void waiting(String name) {
    tell(listener -> listener.waiting(name));
  }

  @Override
  public void acquired(String name, long fencingToken, Duration waited) {
    tell(listener -> listener.acquired(name, fencingToken, waited));
  }

  @Override
  public void released(String name, long fencingToken, Duration held) {
    tell(listener -> listener.released(name, fencingToken, held));
  }

  @Override
  public void renewed(String name, long fencingToken, Duration lease) {
    tell(listener -> listener.renewed(name, fencingToken, lease));
  }

  @Override
  public void lost(String name, long fencingToken, LostReason reason) {
    tell(listener -> listener.lost(name, fencingToken, reason));
  }

  @Override
  public void abandoned(String name) {
    tell(listener -> listener.abandoned(name));
  }

  @Override
  public void backendError(String operation, String name, LockException error) {
    tell(listener -> listener.backendError(operation, name, error));
  }

  private void tell(Consumer<LockListener> event) {
    for (LockListener listener : listeners) {
      try {
        event.accept(listener);
      } catch (Throwable e) { // an Error, too, would leave a lock half granted
        LOG.log(Level.WARNING, "A LockListener threw; the lock is not affected", e);
      }
    }
  }
}
