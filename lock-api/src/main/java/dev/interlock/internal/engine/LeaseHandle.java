package dev.interlock.internal.engine;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockRequest;
import dev.interlock.LostReason;
import dev.interlock.internal.running.Validity;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One entry into a hold, which is released once: by any thread, or, if a thread owns the hold, by
 * that one. Its lease stands for the entry that is the innermost when it is made, and never for an
 * outer one.
 */
public final class LeaseHandle implements Lease {
  private final Hold hold;
  private final Consumer<Hold> exit;
  private final Terms terms;
  private final Holds holds;
  private final BooleanSupplier exited;
  private final AtomicBoolean released = new AtomicBoolean();
  private volatile boolean inOrder;
  private volatile @Nullable CompletionStage<LostReason> loss;

  /**
   * Creates a handle.
   *
   * @param exited whether the entry was taken back in another way than by this handle
   * @param exit takes the entry back
   */
  LeaseHandle(Hold hold, Terms terms, Holds holds, BooleanSupplier exited, Consumer<Hold> exit) {
    this.hold = hold;
    this.terms = terms;
    this.holds = holds;
    this.exited = exited;
    this.exit = exit;
  }

  boolean isReleased() {
    return released.get() || exited.getAsBoolean();
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
    return isReleased() ? Duration.ZERO : Duration.ofNanos(hold.remaining());
  }

  @Override
  public boolean isValid() {
    return !isReleased() && hold.isValid();
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
    return !isReleased() && holds.extend(hold, Validity.nanos(lease));
  }

  @Override
  public CompletionStage<LostReason> lost() {
    CompletionStage<LostReason> known = loss;
    if (known == null) {
      Told told = new Told();
      known = told.stage.minimalCompletionStage();
      loss = known; // two threads may both get here, and have a stage each
      hold.lost().add(told);
    }
    return known;
  }

  @Override
  public void release() {
    if (!exits()) {
      throw gone();
    }
  }

  @Override
  public void close() {
    var unused = exits();
  }

  /** Takes the entry back. Answers false if that was done before. */
  private boolean exits() {
    if (isReleased()) {
      return false;
    }
    Thread owner = owner();
    if (owner != null && owner != Thread.currentThread()) {
      throw new IllegalMonitorStateException(
          "the current thread does not hold lock '%s' by this lease".formatted(hold.name()));
    }
    if (!released.compareAndSet(false, true)) {
      return false;
    }
    try {
      exit.accept(hold);
    } catch (Error e) { // a full stack, at worst: if it had not begun, it can be tried again
      released.set(hold.hasEnded());
      throw e;
    }
    inOrder = true;
    return true;
  }

  private @Nullable Thread owner() {
    return hold.grantee().owner() instanceof Thread thread ? thread : null;
  }

  /** Ends this handle and leaves the hold to the server. */
  public void keep() {
    if (owner() != null) {
      throw new IllegalArgumentException(
          "the lease on lock '%s' belongs to a thread, which must unlock it: it cannot be kept"
              .formatted(hold.name()));
    }
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
    LostReason found = hold.reason() == null ? hold.remote().taken() : hold.reason();
    // What is not valid and was not declared lost yet has run out.
    LostReason reason = isReleased() ? null : found == null ? LostReason.EXPIRED : found;
    String why = reason == null ? "released before" : reason.name();
    return new LeaseLostException(
        "the lease on lock '%s' is not held any more: %s".formatted(hold.name(), why),
        hold.name(),
        hold.token(),
        reason);
  }

  /** Passes the loss of the hold on, unless this entry had left it before. */
  private final class Told implements LossSignal.Listener {
    final CompletableFuture<LostReason> stage = new CompletableFuture<>();

    @Override
    public boolean isOver() {
      return inOrder || exited.getAsBoolean(); // or other entries of the owner may lose it yet
    }

    @Override
    public void lost(LostReason reason) {
      if (!isOver()) {
        stage.complete(reason);
      }
    }
  }

  @Override
  public String toString() {
    return "Lease[name=%s, token=%d, valid=%s]".formatted(hold.name(), hold.token(), isValid());
  }
}
