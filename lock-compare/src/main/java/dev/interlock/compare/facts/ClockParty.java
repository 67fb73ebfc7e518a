package dev.interlock.compare.facts;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.LostReason;
import dev.interlock.compare.figures.Waiting;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One who holds a lock, and waits for another, while a clock is set. Does what it is told in words,
 * so that it may live in another JVM. Not thread-safe.
 */
final class ClockParty implements AutoCloseable {
  /** In place of a reason, an exception or a time. */
  static final String NONE = "none";

  /** In place of an answer that the library does not give. */
  static final String NOT_OFFERED = "not offered";

  /** How long it waits at the most. */
  static final Duration LIMIT = Duration.ofSeconds(20);

  private final String uri;
  private final Waiting waiting = new Waiting();
  private final LockClient client;
  private @Nullable Lease held;
  private CompletableFuture<LostReason> lost = new CompletableFuture<>();
  private CompletableFuture<Lease> next = new CompletableFuture<>();
  private CompletableFuture<Long> lostAt = new CompletableFuture<>();

  /** When its wait ended, with the lock or without it. */
  private CompletableFuture<Long> nextAt = new CompletableFuture<>();

  private boolean tellsOfLoss;
  private Optional<Long> token = Optional.empty();
  private long mark;

  ClockParty(String uri) {
    this.uri = uri;
    this.client = waiting.open(uri);
  }

  /**
   * Does something: {@code hold NAME LEASE}, {@code wait NAME}, {@code mark} (times count from
   * here), {@code valid}, {@code told} (why its lease is lost, and when), {@code got} (when it had
   * what it waits for), {@code ended} (what ended its wait without it, and when), {@code release},
   * {@code pass} (awaits what it waits for, and releases it), {@code token} (of what it had last).
   *
   * @param command one of these
   * @return in one line
   */
  String obey(String command) throws InterruptedException {
    String[] words = command.split(" ", -1);
    return switch (words[0]) {
      case "hold" -> hold(words[1], Duration.parse(words[2]));
      case "wait" -> await(words[1]);
      case "mark" -> mark();
      case "valid" -> valid();
      case "told" -> told();
      case "got" -> got();
      case "ended" -> ended();
      case "release" -> release(held);
      case "pass" -> pass();
      case "token" -> token.map(String::valueOf).orElse(NOT_OFFERED);
      default -> throw new IllegalArgumentException(command);
    };
  }

  private String hold(String name, Duration lease) throws InterruptedException {
    LockRequest request = LockRequest.of(name).withWait(LIMIT);
    // One that nobody renews must not end by itself meanwhile.
    Lease lock = client.acquire(
        Offered.isRenewing(client)
            ? request.withLease(lease).renewing()
            : Offered.usual(client, request));
    CompletableFuture<Long> at = new CompletableFuture<>();
    Optional<CompletableFuture<LostReason>> reason = Offered.ask(lock::lost)
        .map(stage -> stage
            .whenComplete((why, error) -> at.complete(System.nanoTime()))
            .toCompletableFuture());
    tellsOfLoss = reason.isPresent();
    lost = reason.orElseGet(CompletableFuture::new);
    lostAt = at;
    held = lock;
    token = Offered.ask(lock::fencingToken);
    return "held";
  }

  private String await(String name) throws InterruptedException {
    CompletableFuture<Long> at = new CompletableFuture<>();
    LockRequest request = LockRequest.of(name).withWait(LIMIT);
    next = client
        .acquireAsync(Offered.usual(client, request))
        .whenComplete((lease, error) -> at.complete(System.nanoTime()));
    nextAt = at;
    waiting.await();
    return "waiting";
  }

  /** Times count from here. */
  private String mark() {
    mark = System.nanoTime();
    return "marked";
  }

  /** Whether its lease is valid. */
  private String valid() {
    Lease lock = held;
    return lock == null
        ? NONE
        : Offered.ask(lock::isValid).map(String::valueOf).orElse(NOT_OFFERED);
  }

  /** Why its lease is lost, and after how many nanoseconds. */
  private String told() {
    if (!tellsOfLoss) {
      return NOT_OFFERED;
    }
    return lost.isDone() ? lost.join().name() + " " + Math.max(0, lostAt.join() - mark) : NONE;
  }

  /** After how many nanoseconds it had the lock that it waits for. */
  private String got() {
    return next.isDone() && !next.isCompletedExceptionally() ? sinceMark() : NONE;
  }

  /** What ended its wait without the lock, and after how many nanoseconds. */
  private String ended() {
    try {
      next.getNow(null);
      return NONE;
    } catch (CompletionException e) {
      return thrown(e) + " " + sinceMark();
    }
  }

  private String sinceMark() {
    return Long.toString(Math.max(0, nextAt.join() - mark));
  }

  private String thrown(Exception e) {
    return e.getCause() instanceof RuntimeException thrown ? Offered.name(uri, thrown) : "an error";
  }

  /**
   * Waits until it has the lock that it waits for, and releases it; what is thrown, if anything.
   */
  private String pass() throws InterruptedException {
    try {
      Lease lease = next.get(LIMIT.toSeconds() + 5, TimeUnit.SECONDS);
      token = Offered.ask(lease::fencingToken);
      return release(lease);
    } catch (ExecutionException e) {
      return thrown(e);
    } catch (TimeoutException e) {
      return "no end of its wait";
    }
  }

  private String release(@Nullable Lease lease) {
    try {
      if (lease != null) {
        lease.release();
      }
      return NONE;
    } catch (RuntimeException e) {
      return Offered.name(uri, e);
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
