package dev.interlock.spring.internal.lease;

import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LostReason;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The end of a lock that several pieces of work share, such as a call and those which are nested in
 * it: the last of them gives the lock up. Each of the others only looks whether it is still held.
 * Thread-safe: what goes on after its call may end on any thread.
 */
final class SharedEnding implements Ending {
  private final Lease lease;
  private final Ending last;
  // Once it is zero it stays so.
  private final AtomicInteger open;

  // Guarded by this. The nested calls of now only: a stage of the lease would keep all there were.
  private @Nullable Set<Nested> nested;
  private volatile @Nullable LostReason reason;

  /** A nested call, until it ends itself. */
  final class Nested implements Ending {
    private final CompletableFuture<LostReason> lost = new CompletableFuture<>();

    /** Tells of the loss of the lease until the call has ended. */
    CompletionStage<LostReason> lost() {
      return lost;
    }

    @Override
    public void end() {
      nested().remove(this);
      SharedEnding.this.end();
    }
  }

  /**
   * Creates it for the first piece of work.
   *
   * @param last gives the lock up
   */
  SharedEnding(Lease lease, Ending last) {
    this(lease, last, 1);
  }

  private SharedEnding(Lease lease, Ending last, int pieces) {
    this.lease = lease;
    this.last = last;
    this.open = new AtomicInteger(pieces);
  }

  /** Creates it for two pieces of work, each of which must {@link #end} it. Looks at no lease. */
  static SharedEnding ofTwo(Lease lease, Ending last) {
    return new SharedEnding(lease, last, 2);
  }

  Lease lease() {
    return lease;
  }

  /**
   * Counts one more, which must {@link #end}, too.
   *
   * @throws LeaseLostException if the lease was lost, or the lock given up
   */
  void enter() {
    lease.ensureValid();
    if (open.getAndUpdate(count -> count == 0 ? 0 : count + 1) == 0) {
      throw new LeaseLostException(
          "lock '%s' was given up while a nested call entered it".formatted(lease.name()),
          lease.name(),
          Losses.token(lease),
          null);
    }
  }

  /**
   * Begins a nested call.
   *
   * @throws LeaseLostException if the lease was lost, or the lock given up
   */
  Nested nest() {
    enter();
    return Ending.orEnd(this, () -> {
      Nested call = new Nested();
      nested().add(call);
      LostReason known = reason;
      if (known != null) {
        call.lost.complete(known);
      }
      return call;
    });
  }

  private synchronized Set<Nested> nested() {
    Set<Nested> calls = nested;
    if (calls == null) {
      calls = ConcurrentHashMap.newKeySet();
      nested = calls;
      Set<Nested> told = calls;
      lease.lost().thenAccept(why -> {
        reason = why;
        told.forEach(call -> call.lost.complete(why));
      });
    }
    return calls;
  }

  @Override
  public void end() {
    if (open.decrementAndGet() == 0) {
      last.end();
    } else {
      lease.ensureValid();
    }
  }
}
