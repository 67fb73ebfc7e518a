package dev.interlock.compare.facts;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.LostReason;
import dev.interlock.compare.cli.Errors;
import dev.interlock.compare.peers.Clients;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The main class of a JVM that takes a lock, is paused, and says what it finds when it wakes. */
final class PausedHolderMain {
  static final String HELD = "held";

  /** Between the words of what it finds. */
  static final String SEPARATOR = "\t";

  /** In place of a reason or an exception. */
  static final String NONE = "none";

  /** In place of a reason, where the library cannot tell. */
  static final String NOT_OFFERED = "not offered";

  private static final long LIMIT_SECONDS = 20;
  private static final long TOLD_SECONDS = 5;

  private PausedHolderMain() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String uri = in.readLine();
    String name = in.readLine();
    Duration lease = Duration.parse(in.readLine());
    try (LockClient client = Clients.open(uri)) {
      LockRequest request =
          LockRequest.of(name).withLease(lease).withWait(Duration.ofSeconds(LIMIT_SECONDS));
      Lease held = client.acquire(Offered.renewing(client, request));
      CompletableFuture<Long> told = new CompletableFuture<>();
      Optional<CompletableFuture<LostReason>> reason = Offered.ask(held::lost)
          .map(lost -> lost.whenComplete((why, error) -> told.complete(System.nanoTime()))
              .toCompletableFuture());
      System.out.println(HELD);
      long woke = awaitPause(lease);
      boolean valid = held.isValid();
      System.out.println(String.join(
          SEPARATOR,
          Boolean.toString(valid),
          reason.isPresent() ? told(reason.get(), told, woke) : NOT_OFFERED + SEPARATOR + 0,
          release(uri, held)));
    } catch (LockException e) {
      System.out.println(Errors.describe(e).replace('\n', ' '));
    }
  }

  /** Returns when this thread ran again after it had not run for a whole lease. */
  private static long awaitPause(Duration lease) throws InterruptedException {
    long start = System.nanoTime();
    long before = start;
    while (true) {
      Thread.sleep(1);
      long now = System.nanoTime();
      if (now - before > lease.toNanos()) {
        return now;
      }
      if (now - start > TimeUnit.SECONDS.toNanos(LIMIT_SECONDS)) {
        throw new IllegalStateException("this JVM was never paused");
      }
      before = now;
    }
  }

  /** Why the lease is lost, and how many nanoseconds after waking that was told. */
  private static String told(
      CompletableFuture<LostReason> reason, CompletableFuture<Long> told, long woke)
      throws InterruptedException {
    try {
      String why = reason.get(TOLD_SECONDS, TimeUnit.SECONDS).name();
      return why + SEPARATOR + Math.max(0, told.join() - woke);
    } catch (TimeoutException | ExecutionException e) {
      return NONE + SEPARATOR + 0;
    }
  }

  private static String release(String uri, Lease lease) {
    try {
      lease.release();
      return NONE;
    } catch (RuntimeException e) {
      return Offered.name(uri, e);
    }
  }
}
