package dev.interlock.tck.internal.rules;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import dev.interlock.tck.internal.worker.Worker;
import dev.interlock.tck.internal.worker.WorkerSpace;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Group A: asynchronous requests. */
public final class AsyncRules {
  private AsyncRules() {}

  @Rule(
      value = "A1",
      check = "which threads complete the future of acquireAsync, and what they wait for",
      timed = true)
  public static void resultsDoWithoutTheCommonPool(RuleRun run) throws Exception {
    Worker worker = run.ownWorker();
    String name = run.name();
    long limit = run.limit(5_000).toNanos();
    worker.run(space -> blockedPool(space, name, limit));
    run.fault("an application that blocks the common pool of its JVM");
    run.count(4);
    run.note("grant, timeout and the grant after a release arrived all the same");
  }

  public static void blockedPool(WorkerSpace space, String name, long limit) throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    try {
      // More than it may start to make up for blocked ones.
      for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors() + 4; i++) {
        ForkJoinPool.commonPool().execute(() -> await(end));
      }
      LockClient client = space.client();
      LockRequest request = LockRequest.of(name).withLease(Duration.ofSeconds(60));
      Lease first = within(client.acquireAsync(request), limit, "a grant");
      try {
        within(client.acquireAsync(request.withWait(Duration.ofMillis(100))), limit, "a timeout");
        throw violation("a wait for a held lock ends with an exception", "it was granted");
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof LockTimeoutException)) {
          throw e;
        }
      }
      CompletableFuture<Lease> next = client.acquireAsync(request);
      first.release();
      within(next, limit, "the grant after a release").release();
    } finally {
      end.countDown();
    }
  }

  private static Lease within(CompletableFuture<Lease> result, long limit, String what)
      throws ExecutionException, InterruptedException {
    try {
      return result.get(limit, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw violation(what + " arrives while the common pool is blocked", "it did not");
    }
  }

  private static RuleViolation violation(String expected, String found) {
    return new RuleViolation(expected, found, List.of());
  }

  private static void await(CountDownLatch end) {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
