package dev.interlock.compare.peers;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LostReason;
import dev.interlock.measure.peers.PeerLock;
import dev.interlock.tck.NotOfferedException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/** A hold of a library's lock. Thread-safe if its caller is a {@link HandleThread}. */
final class PeerLease implements Lease {
  private final String name;
  private final PeerLock lock;
  private final Caller caller;
  private final Runnable onEnd;
  private final AtomicBoolean ended = new AtomicBoolean();

  PeerLease(String name, PeerLock lock, Caller caller, Runnable onEnd) {
    this.name = name;
    this.lock = lock;
    this.caller = caller;
    this.onEnd = onEnd;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public long fencingToken() {
    return ask(lock::token);
  }

  @Override
  public Duration remaining() {
    return ended.get() ? Duration.ZERO : ask(lock::remaining);
  }

  @Override
  public boolean isValid() {
    try {
      return !remaining().isZero();
    } catch (BackendUnavailableException e) {
      // Nobody can tell.
      return false;
    }
  }

  @Override
  public void ensureValid() {
    throw new NotOfferedException("ensureValid of a hold");
  }

  @Override
  public boolean extend(Duration lease) {
    throw new NotOfferedException("extend of a hold");
  }

  @Override
  public CompletionStage<LostReason> lost() {
    throw new NotOfferedException("notice of a lost hold");
  }

  /** Passes every call on, also a second one: what it does is for the library to say. */
  @Override
  public void release() {
    boolean second = ended.getAndSet(true);
    Callable<Boolean> unlock = () -> {
      lock.unlock();
      return true;
    };
    try {
      if (second && caller instanceof HandleThread) {
        // The thread that held has ended; whoever comes now is not the owner.
        HandleThread late = new HandleThread(name);
        try {
          late.call(() -> PeerErrors.callUninterruptibly(unlock));
        } finally {
          late.end();
        }
        return;
      }
      ask(unlock);
    } catch (IllegalMonitorStateException e) {
      if (caller == Caller.DIRECT) {
        throw e;
      }
      throw new LeaseLostException(
          "\"" + name + "\" is not held: " + e.getMessage(), name, 0, null, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      onEnd.run();
      caller.end();
    }
  }

  @Override
  public void close() {
    if (!ended.get()) {
      release();
    }
  }

  private <T> T ask(Callable<T> call) {
    try {
      return caller.call(() -> PeerErrors.callUninterruptibly(call));
    } catch (InterruptedException e) {
      throw new IllegalStateException("no interruption gets here", e);
    }
  }
}
