package dev.interlock.internal.engine;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockException;
import dev.interlock.internal.running.Agenda;
import dev.interlock.internal.running.ClientThreads;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The future of an asynchronous request, and its outcome on the way there. That goes by the
 * application's executor, which may refuse it or let it lie, or by threads that other actions keep
 * busy: then the lease is given back, so that no lock is renewed for nobody, and the future says
 * why.
 */
final class AsyncResult {
  private final CompletableFuture<Lease> future = new CompletableFuture<>();
  private final Grantee grantee;
  private final ClientThreads threads;
  private final Agenda agenda;

  AsyncResult(Grantee grantee, ClientThreads threads, Agenda agenda) {
    this.grantee = grantee;
    this.threads = threads;
    this.agenda = agenda;
  }

  CompletableFuture<Lease> future() {
    return future;
  }

  void granted(Lease lease) {
    new Delivery(lease, null).begin();
  }

  void failed(Throwable error) {
    new Delivery(null, error).begin();
  }

  private final class Delivery extends Agenda.Item {
    private final @Nullable Lease lease;
    private final @Nullable Throwable error;
    private final AtomicBoolean settled = new AtomicBoolean();
    private volatile @Nullable Future<?> look; // once the client is closed

    Delivery(@Nullable Lease lease, @Nullable Throwable error) {
      this.lease = lease;
      this.error = error;
    }

    void begin() {
      var unused = future.whenComplete((result, failure) -> withdraw()); // cancelled meanwhile
      if (lease != null) {
        threads.deliver(this::arrive, this::refused);
      } else {
        threads.deliverFailure(this::arrive, this::refused);
      }
      // At last: it arrives, too, if no thread can be started that looks at the time.
      agenda.put(this, System.nanoTime() + grantee.lease());
    }

    /** On the application's executor. */
    private void arrive() {
      if (!settle()) {
        return;
      }
      boolean valid = lease != null && lease.isValid();
      boolean delivered = valid && future.complete(lease);
      if (lease != null && !delivered) { // or it was cancelled at the last moment
        threads.cleanUp(() -> giveBack(lease), false);
      }
      if (!delivered) {
        future.completeExceptionally(
            error != null ? error : none("the lease was over before it could be used", null));
      }
    }

    private void refused(Throwable refusal) {
      if (withdraw()) {
        fail(none("the client's executor refused the result", refusal));
      }
    }

    /** It was not taken within one lease. */
    @Override
    public void due() {
      if (withdraw()) {
        threads.failure(() -> fail(none(
            "the result was not taken within %s: actions on others last, or the client's executor is busy"
                .formatted(Duration.ofNanos(grantee.lease())),
            null)));
      }
    }

    @Override
    public void outlivesClient(long at) {
      look = ClientThreads.scheduleLate(this::due, at);
      if (settled.get()) {
        dropLook();
      }
    }

    /** Its thread would stay for as long as a lease lasts. */
    private void dropLook() {
      Future<?> late = look;
      if (late != null) {
        late.cancel(false);
      }
    }

    private void fail(LockException undelivered) {
      future.completeExceptionally(error != null ? error : undelivered);
    }

    private boolean withdraw() {
      boolean first = settle();
      if (first && lease != null) {
        threads.cleanUp(() -> giveBack(lease), false);
      }
      return first;
    }

    private boolean settle() {
      boolean first = settled.compareAndSet(false, true);
      if (first) {
        agenda.retire(this);
        dropLook();
      }
      return first;
    }

    private LockException none(String why, @Nullable Throwable cause) {
      return new BackendUnavailableException(
          "lock '%s': %s; it was given back".formatted(grantee.name(), why), cause);
    }
  }

  private static void giveBack(Lease lease) {
    try {
      lease.close();
    } catch (LockException e) {
      // It was lost, or is being removed in the background: either way nothing is left.
    }
  }
}
