package dev.interlock.compare.facts;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Requests that wait one behind the other. Whoever gets the lock keeps it until it is taken out of
 * here. Its methods are for one thread; the waits may end on any.
 */
final class Line {
  private static final int POLL_MILLIS = 5;

  private final String uri;
  private final BlockingQueue<Turn> turns = new LinkedBlockingQueue<>();
  private final CompletableFuture<Turn> first = new CompletableFuture<>();
  private int length;

  /**
   * How a wait ended.
   *
   * @param place in the order of arrival, from 0
   * @param lease empty if it failed
   * @param failure what was thrown; empty if nothing was
   * @param at when
   */
  record Turn(int place, Optional<Lease> lease, String failure, long at) {}

  /** Of clients with this URI. */
  Line(String uri) {
    this.uri = uri;
  }

  /** Lets one more wait. */
  void join(LockClient client, LockRequest request) {
    int place = length++;
    var unused = client.acquireAsync(request).whenComplete((lease, error) -> {
      long now = System.nanoTime();
      Turn turn = error == null
          ? new Turn(place, Optional.of(lease), "", now)
          : new Turn(place, Optional.empty(), name(error), now);
      if (error == null) {
        first.complete(turn);
      }
      turns.add(turn);
    });
  }

  private String name(Throwable error) {
    Throwable cause = error.getCause();
    Throwable thrown = error instanceof CompletionException && cause != null ? cause : error;
    return thrown instanceof RuntimeException known ? Offered.name(uri, known) : "an error";
  }

  /** How many have joined. */
  int length() {
    return length;
  }

  /** Whether one of them has the lock. */
  boolean hasMoved() {
    return first.isDone();
  }

  /** When the first of them had it. */
  long firstAt() {
    return first.join().at();
  }

  /**
   * Waits until one of them has the lock, or all waits have failed.
   *
   * @return whether one has it in time
   */
  boolean awaitFirst(int seconds) throws InterruptedException {
    long start = System.nanoTime();
    while (!hasMoved()
        && turns.size() < length
        && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(seconds)) {
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
    return hasMoved();
  }

  /** Takes out what came of the wait that ended next. */
  Turn next(int seconds) throws InterruptedException, TimeoutException {
    Turn turn = turns.poll(seconds, TimeUnit.SECONDS);
    if (turn == null) {
      throw new TimeoutException("no wait ends within " + seconds + " s");
    }
    return turn;
  }
}
