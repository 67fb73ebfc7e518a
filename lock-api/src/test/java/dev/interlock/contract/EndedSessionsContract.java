package dev.interlock.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.Locks;
import dev.interlock.OutcomeUnknownException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * While clients fight for locks, an operator ends their statements and sessions, wherever these are
 * in their work.
 */
@Tag("thorough")
@Timeout(180)
public abstract class EndedSessionsContract {
  private static final Duration TIME =
      Duration.ofSeconds(Integer.getInteger("interlock.test.ended.seconds", 12));
  private static final Duration LEASE = Duration.ofSeconds(6);
  private static final int ALL = 4;

  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
  private final AtomicInteger released = new AtomicInteger();

  /** For subclasses. */
  protected EndedSessionsContract() {}

  /** Where the locks are: the same place each time. */
  protected abstract String uri();

  /** Ends a statement of a client, or if so asked its session. */
  protected abstract void endOne(boolean session) throws Exception;

  /** A lock, and how much of it is in use. */
  private static final class Guarded {
    final LockRequest request;
    final int units;
    final AtomicInteger used;

    Guarded(LockRequest request, int units, AtomicInteger used) {
      this.request = request.withWait(Duration.ofSeconds(3)).withLease(LEASE).renewing();
      this.units = units;
      this.used = used;
    }
  }

  @Test
  void x2_holdsExcludeOneAnotherAndNoReleaseIsTakenForALossWhileSessionsAreEnded()
      throws Exception {
    AtomicInteger alone = new AtomicInteger();
    AtomicInteger shared = new AtomicInteger();
    AtomicInteger permits = new AtomicInteger();
    List<Guarded> kinds = List.of(
        new Guarded(LockRequest.of("alone"), ALL, alone),
        new Guarded(LockRequest.of("alone").withOwner("o"), 1, alone),
        new Guarded(LockRequest.of("shared"), ALL, shared),
        new Guarded(LockRequest.of("shared").shared(), 1, shared),
        new Guarded(LockRequest.of("permits").permits(1, ALL), 1, permits),
        new Guarded(LockRequest.of("permits").permits(3, ALL), 3, permits));
    String uri = uri();
    List<LockClient> clients = List.of(Locks.open(uri), Locks.open(uri), Locks.open(uri));
    try {
      long end = System.nanoTime() + TIME.toNanos();
      List<Thread> threads = new ArrayList<>();
      for (LockClient client : clients) {
        for (int i = 0; i < 6; i++) {
          int number = i;
          threads.add(new Thread(() -> use(client, kinds.get(number), end)));
        }
      }
      threads.forEach(Thread::start);
      while (System.nanoTime() < end) {
        endOne(ThreadLocalRandom.current().nextInt(20) == 0);
      }
      for (Thread thread : threads) {
        thread.join(TimeUnit.SECONDS.toMillis(30));
      }
      assertThat(wrong).isEmpty();
      assertThat(released).hasPositiveValue();
      for (Guarded kind : kinds) {
        String name = kind.request.name();
        Company.until(name + " is free", () -> clients.get(0).inspect(name).isEmpty());
        clients.get(0).acquire(kind.request).release();
      }
    } finally {
      clients.forEach(LockClient::close);
    }
  }

  private void use(LockClient client, Guarded kind, long end) {
    while (System.nanoTime() < end) {
      try {
        Lease lease = client.acquire(kind.request);
        int used = kind.used.addAndGet(kind.units);
        if (used > ALL) {
          wrong.add(kind.request + ": " + used + " in use");
        }
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(3_000_000));
        boolean valid = lease.isValid();
        kind.used.addAndGet(-kind.units);
        if (!valid) {
          wrong.add(kind.request + ": lost");
        }
        lease.release();
        released.incrementAndGet();
      } catch (LeaseLostException e) {
        wrong.add(kind.request + ": " + e);
      } catch (LockTimeoutException | BackendUnavailableException | OutcomeUnknownException e) {
        // As the pages say: it is tried again.
      } catch (InterruptedException | RuntimeException e) {
        wrong.add(kind.request + ": " + e);
        return;
      }
    }
  }
}
