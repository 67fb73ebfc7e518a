package dev.interlock.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.BackendUnavailableException;
import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.local.FaultyBackend.Fault;
import dev.interlock.local.FaultyBackend.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Everything at once, at random. Set {@code -Dinterlock.seed} to repeat a run's choices. */
@Timeout(60)
class StressTest {
  private static final int THREADS = 12;

  /** The locks that are checked; one more is forced now and then, whose holders may overlap. */
  private static final int NAMES = 3;

  /** From when to when somebody certainly held a lock. */
  private record Interval(int lock, long token, long from, long to) {}

  private final long seed = Long.getLong("interlock.seed", System.nanoTime());
  private final Rig rig = new Rig();
  private final Queue<Interval> intervals = new ConcurrentLinkedQueue<>();
  private final Queue<Throwable> surprises = new ConcurrentLinkedQueue<>();
  private final AtomicInteger sections = new AtomicInteger();

  @Test
  @DisplayName("X1 T1 W6 E7 holds never overlap, tokens grow, and nothing is left, without faults")
  void withoutFaults() throws Exception {
    run(TimeUnit.SECONDS.toNanos(4), false);
  }

  @Test
  @DisplayName("X2 T1 E6 holds never overlap, tokens grow, and nothing is left, with faults")
  void withFaults() throws Exception {
    run(TimeUnit.SECONDS.toNanos(6), true);
  }

  private void run(long nanos, boolean faults) throws Exception {
    System.out.println("StressTest: -Dinterlock.seed=" + seed);
    List<Rig.Client> clients =
        List.of(rig.open(), rig.open(Duration.ofMillis(300)), rig.open(Duration.ofSeconds(5)));
    if (faults) {
      clients.forEach(client -> injectFaults(client, new Random(seed)));
    }
    long end = System.nanoTime() + nanos;
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      Random random = new Random(seed + t);
      Thread thread = new Thread(() -> loop(clients, random, end), "stress-" + t);
      thread.start();
      threads.add(thread);
    }
    Random random = new Random(seed - 1);
    while (System.nanoTime() - end < 0) {
      threads.get(random.nextInt(THREADS)).interrupt();
      if (random.nextInt(200) == 0) {
        force(clients.get(0));
      }
      LockSupport.parkNanos(random.nextInt(4_000_000));
    }
    // One client closes amid it all; what the others do must still come to an end.
    clients.get(2).locks().close();
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(20));
      assertThat(thread.isAlive())
          .as(() -> thread + " hangs at " + List.of(thread.getStackTrace()))
          .isFalse();
    }
    clients.forEach(client -> client.backend().heal());
    rig.awaitNothingLeft();
    rig.close();
    assertThat(surprises).isEmpty();
    check();
    System.out.println("StressTest: " + sections + " sections, " + intervals.size() + " intervals");
  }

  private static void force(Rig.Client client) {
    try {
      client.locks().forceRelease("lock" + NAMES);
    } catch (OutcomeUnknownException | BackendUnavailableException e) {
      // a fault
    }
  }

  private static void injectFaults(Rig.Client client, Random random) {
    Fault some = call -> {
      int dice;
      synchronized (random) {
        dice = random.nextInt(100);
      }
      if (dice == 0) {
        return Fault.refused().around(call);
      } else if (dice == 1) {
        return Fault.replyLost().around(call);
      } else if (dice == 2) {
        return Fault.requestLost().around(call);
      } else if (dice < 6) {
        LockSupport.parkNanos(dice * 1_000_000L);
      }
      return call.run();
    };
    for (Operation operation : Operation.values()) {
      client.backend().always(operation, some);
    }
  }

  private void loop(List<Rig.Client> clients, Random random, long end) {
    while (System.nanoTime() - end < 0) {
      int lock = random.nextInt(NAMES + 1);
      Rig.Client client = clients.get(random.nextInt(clients.size()));
      try {
        one(client, lock, random);
      } catch (InterruptedException | LockTimeoutException | LeaseLostException e) {
        // all in the game
      } catch (OutcomeUnknownException | BackendUnavailableException e) {
        // a fault, or the client that is closed
      } catch (IllegalMonitorStateException e) {
        // a lock of the thread that ran out or was taken
      } catch (RuntimeException | Error e) {
        surprises.add(e);
      }
    }
  }

  private void one(Rig.Client client, int lock, Random random) throws InterruptedException {
    LockRequest request = request(lock, random);
    switch (random.nextInt(6)) {
      case 0 ->
        client
            .locks()
            .tryAcquire(request.withWait(Duration.ZERO))
            .ifPresent(lease -> section(lease, lock, random));
      case 1 -> async(client, request, lock, random);
      case 2 -> byThread(client, lock, random);
      default -> section(client.locks().acquire(request), lock, random);
    }
  }

  private static LockRequest request(int lock, Random random) {
    LockRequest request = LockRequest.of("lock" + lock).fair(random.nextInt(3) == 0);
    if (random.nextInt(2) == 0) {
      request = request.withLease(Duration.ofMillis(10 + random.nextInt(40)));
    }
    if (random.nextInt(3) > 0) {
      request = request.withWait(Duration.ofMillis(random.nextInt(20)));
    }
    return random.nextInt(5) == 0 ? request.withOwner("owner" + random.nextInt(3)) : request;
  }

  private void async(Rig.Client client, LockRequest request, int lock, Random random) {
    CompletableFuture<Lease> future = client.locks().acquireAsync(request);
    LockSupport.parkNanos(random.nextInt(2_000_000));
    if (!future.cancel(true) && !future.isCompletedExceptionally()) {
      section(future.join(), lock, random);
    }
  }

  private void byThread(Rig.Client client, int lock, Random random) throws InterruptedException {
    DistributedLock mine = client.locks().lock("lock" + lock);
    boolean held = random.nextBoolean()
        ? mine.tryLock(Duration.ofMillis(random.nextInt(20)), Duration.ofMillis(30))
        : mine.tryLock(random.nextInt(20), TimeUnit.MILLISECONDS);
    if (!held) {
      return;
    }
    boolean again = false;
    try {
      again = mine.tryLock();
      hold(mine.lease(), lock, random);
    } finally {
      mine.unlock();
      if (again) {
        mine.unlock();
      }
    }
  }

  private void section(Lease lease, int lock, Random random) {
    try (lease) {
      hold(lease, lock, random);
    }
  }

  /** Notes the time up to the last moment at which the lease was seen valid. */
  private void hold(Lease lease, int lock, Random random) {
    long from = System.nanoTime();
    long to = from;
    long work = random.nextInt(20) == 0 ? 20_000_000 : random.nextInt(300_000);
    while (true) {
      long now = System.nanoTime();
      if (!lease.isValid()) {
        break;
      }
      to = now;
      if (now - from >= work) {
        break;
      }
      LockSupport.parkNanos(50_000);
    }
    sections.incrementAndGet();
    if (to > from) {
      intervals.add(new Interval(lock, lease.fencingToken(), from, to));
    }
  }

  /** Entries of one hold have one token and may overlap; different tokens may not. */
  private void check() {
    for (int lock = 0; lock < NAMES; lock++) {
      int wanted = lock;
      List<Interval> sorted = intervals.stream()
          .filter(interval -> interval.lock() == wanted)
          .sorted(Comparator.comparingLong(Interval::token))
          .toList();
      assertThat(sorted).hasSizeGreaterThan(50);
      long end = Long.MIN_VALUE;
      long latest = Long.MIN_VALUE;
      long token = -1;
      for (Interval interval : sorted) {
        if (interval.token() != token) {
          end = Math.max(end, latest);
          token = interval.token();
        }
        assertThat(interval.from())
            .as("seed %d, token %d begins after all with a smaller token", seed, token)
            .isGreaterThanOrEqualTo(end);
        latest = Math.max(latest, interval.to());
      }
    }
  }
}
