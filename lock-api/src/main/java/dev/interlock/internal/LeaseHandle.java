package dev.interlock.internal;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockRequest;
import dev.interlock.LostReason;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** One entry into a hold, which any thread may release, once. */
final class LeaseHandle implements Lease {
  private final Hold hold;
  private final Consumer<Hold> exit;
  private final Terms terms;
  private final Holds holds;
  private final AtomicBoolean released = new AtomicBoolean();
  private volatile boolean inOrder;

  LeaseHandle(Hold hold, Terms terms, Holds holds, Consumer<Hold> exit) {
    this.hold = hold;
    this.terms = terms;
    this.holds = holds;
    this.exit = exit;
  }

  boolean isReleased() {
    return released.get();
  }

  @Override
  public String name() {
    return hold.name();
  }

  @Override
  public long fencingToken() {
    terms.require(Capability.FENCED, "fencingToken()");
    return hold.token();
  }

  @Override
  public Duration remaining() {
    return released.get() ? Duration.ZERO : Duration.ofNanos(hold.remaining());
  }

  @Override
  public boolean isValid() {
    return !released.get() && hold.isValid();
  }

  @Override
  public void ensureValid() {
    if (!isValid()) {
      throw gone();
    }
  }

  @Override
  public boolean extend(Duration lease) {
    LockRequest.requireLease(lease);
    terms.require(Capability.RENEWABLE, "extend(...)");
    return !released.get() && holds.extend(hold, Validity.nanos(lease));
  }

  @Override
  public CompletionStage<LostReason> lost() {
    CompletableFuture<LostReason> told = new CompletableFuture<>();
    var unused = hold.lost().thenAccept(reason -> {
      if (!inOrder) { // or other entries of the owner have lost it since
        told.complete(reason);
      }
    });
    return told.minimalCompletionStage();
  }

  @Override
  public void release() {
    if (!released.compareAndSet(false, true)) {
      throw gone();
    }
    exit();
  }

  @Override
  public void close() {
    if (released.compareAndSet(false, true)) {
      exit();
    }
  }

  private void exit() {
    exit.accept(hold);
    inOrder = true;
  }

  /** Ends this handle and leaves the hold to the server. */
  void keep() {
    if (hold.isRenewing()) {
      throw new IllegalArgumentException(
          "the lease on lock '%s' is renewed until it is released: it cannot be kept"
              .formatted(hold.name()));
    }
    if (released.compareAndSet(false, true)) {
      holds.keep(hold);
      inOrder = true;
    }
  }

  private LeaseLostException gone() {
    LostReason reason = hold.reason();
    String why = released.get() ? "released before" : reason == null ? "EXPIRED" : reason.name();
    return new LeaseLostException(
        "the lease on lock '%s' is not held any more: %s".formatted(hold.name(), why));
  }

  @Override
  public String toString() {
    return "Lease[name=%s, token=%d, valid=%s]".formatted(hold.name(), hold.token(), isValid());
  }
}
