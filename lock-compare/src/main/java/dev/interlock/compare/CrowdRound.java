package dev.interlock.compare;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/** Threads that want one lock for a while, with a section that only counts. */
final class CrowdRound {
  private static final LockRequest REQUEST =
      LockRequest.of("compare-crowd").withWait(Duration.ofSeconds(30));

  /**
   * What happened.
   *
   * @param sections how often the lock was held
   * @param worstWaitNanos the longest acquire
   * @param jain Jain's index over the threads' numbers of sections
   * @param perSecond sections a second
   */
  record Outcome(long sections, long worstWaitNanos, double jain, double perSecond) {}

  private final List<LockClient> clients;
  private final int threads;
  private final long nanos;
  private final AtomicLong worstWait = new AtomicLong();

  /** Guarded by nothing but the lock that is measured. */
  private long counter;

  CrowdRound(List<LockClient> clients, int threads, long nanos) {
    this.clients = clients;
    this.threads = threads;
    this.nanos = nanos;
  }

  Outcome run() throws InterruptedException {
    ExecutorService crowd = Executors.newFixedThreadPool(threads);
    try {
      long start = System.nanoTime();
      List<Future<Long>> members = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        LockClient client = clients.get(i % clients.size());
        members.add(crowd.submit(() -> sections(client, start + nanos)));
      }
      long[] shares = new long[threads];
      for (int i = 0; i < threads; i++) {
        shares[i] = members.get(i).get();
      }
      return outcome(shares, (System.nanoTime() - start) / 1e9);
    } catch (ExecutionException e) {
      Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
      throw new IllegalStateException(Errors.describe(cause), cause);
    } finally {
      crowd.shutdownNow();
    }
  }

  private long sections(LockClient client, long end) throws InterruptedException {
    long mine = 0;
    while (System.nanoTime() - end < 0) {
      long asked = System.nanoTime();
      Lease lease = client.acquire(REQUEST);
      worstWait.accumulateAndGet(System.nanoTime() - asked, Math::max);
      counter++;
      lease.release();
      mine++;
    }
    return mine;
  }

  private Outcome outcome(long[] shares, double seconds) {
    long sections = Arrays.stream(shares).sum();
    if (counter != sections) {
      throw new IllegalStateException(
          "exclusion was violated: %d sections, but only %d were counted"
              .formatted(sections, counter));
    }
    return new Outcome(sections, worstWait.get(), jain(shares), sections / seconds);
  }

  static double jain(long[] shares) {
    double sum = 0;
    double squares = 0;
    for (long share : shares) {
      sum += share;
      squares += (double) share * share;
    }
    return squares == 0 ? 1 : sum * sum / (shares.length * squares);
  }
}
