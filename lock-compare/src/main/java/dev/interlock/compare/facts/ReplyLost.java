package dev.interlock.compare.facts;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.compare.figures.TurnProxy;
import dev.interlock.compare.peers.Clients;
import dev.interlock.compare.servers.Backend;
import dev.interlock.compare.servers.LockUris;
import dev.interlock.tck.Effort;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Loses the server's answer to an acquire and to a release. */
final class ReplyLost implements Observation {
  private static final String NAME = "fact-reply-lost";
  private static final int PLAIN_ROUNDS = 20;
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration LIMIT = Duration.ofSeconds(6);
  private static final LockRequest REQUEST =
      LockRequest.of(NAME).withLease(LEASE).withWait(Duration.ofSeconds(5));

  /**
   * How a call ended.
   *
   * @param lease empty after a release and after an error
   * @param error the simple name of what was thrown
   * @param millis how long the call took
   */
  private record Told(Optional<Lease> lease, Optional<String> error, double millis) {}

  /** A call that may give a lease. */
  private interface Call {
    Optional<Lease> run() throws InterruptedException;
  }

  @Override
  public Happening happening() {
    return Happening.REPLY_LOST;
  }

  @Override
  public Fact observe(Backend backend, Effort effort) throws Exception {
    if (backend.isInOneJvm()) {
      return Fact.none(happening(), "there is no server to reply");
    }
    Optional<String> host = LockUris.host(backend.uri());
    OptionalInt port = LockUris.port(backend.uri());
    if (host.isEmpty() || port.isEmpty() || LockUris.hasOption(backend.uri(), "tls")) {
      return Fact.none(happening(), "done only on a plain connection to one host with a port");
    }
    try (TurnProxy proxy = TurnProxy.before(host.get(), port.getAsInt());
        LockClient client = Clients.open(LockUris.redirect(backend.uri(), proxy.address()));
        LockClient other = Clients.open(backend.uri())) {
      Map<String, Double> figures = new TreeMap<>();
      String acquiring = acquire(proxy, client, other, backend.uri(), figures);
      String releasing = release(proxy, client, other, backend.uri(), figures);
      return Fact.seen(happening(), acquiring + " " + releasing, figures);
    }
  }

  private static String acquire(
      TurnProxy proxy, LockClient client, LockClient other, String uri, Map<String, Double> figures)
      throws InterruptedException {
    Told told =
        lose(proxy, uri, turns(proxy, client, true), () -> Optional.of(client.acquire(REQUEST)));
    figures.put("acquireMillis", told.millis());
    String answer = told.error().map(error -> "throws " + error).orElse("returns the lease");
    String freed;
    if (told.lease().isPresent()) {
      told.lease().get().release();
      double held = untilFree(other);
      figures.put("heldMillisAfterAcquire", held);
      freed = "its release frees the lock" + (held > 0 ? " " + Text.ms(held) + " later" : "");
    } else {
      double held = untilFree(other);
      figures.put("heldMillisAfterAcquire", held);
      freed = held > 0 ? "the lock is left held for " + Text.ms(held) : "the lock is free";
    }
    return "Acquire " + answer + " after " + Text.ms(told.millis()) + "; " + freed + ".";
  }

  private static String release(
      TurnProxy proxy, LockClient client, LockClient other, String uri, Map<String, Double> figures)
      throws InterruptedException {
    int turns = turns(proxy, client, false);
    Lease lease = client.acquire(REQUEST);
    Told told = lose(proxy, uri, turns, () -> {
      lease.release();
      return Optional.empty();
    });
    double held = untilFree(other);
    figures.put("releaseMillis", told.millis());
    figures.put("heldMillisAfterRelease", held);
    return "Release " + told.error().map(error -> "throws " + error).orElse("returns") + " after "
        + Text.ms(told.millis()) + "; "
        + (held > 0 ? "the lock is left held for " + Text.ms(held) : "the lock is free") + ".";
  }

  /** Returns the fewest round trips of an acquire, or of a release: a call may save some. */
  private static int turns(TurnProxy proxy, LockClient client, boolean acquiring)
      throws InterruptedException {
    long fewest = Long.MAX_VALUE;
    for (int i = 0; i < PLAIN_ROUNDS; i++) {
      long start = proxy.turns();
      Lease lease = client.acquire(REQUEST);
      long held = proxy.turns();
      lease.release();
      fewest = Math.min(fewest, acquiring ? held - start : proxy.turns() - held);
    }
    return (int) fewest;
  }

  private static Told lose(TurnProxy proxy, String uri, int turns, Call call)
      throws InterruptedException {
    if (turns < 1) {
      throw new IllegalStateException("the call sent nothing, so there was no reply to lose");
    }
    long lost = proxy.repliesLost();
    proxy.loseReplyTo(turns);
    long start = System.nanoTime();
    Optional<Lease> lease = Optional.empty();
    Optional<String> error = Optional.empty();
    try {
      lease = call.run();
    } catch (LockException e) {
      error = Optional.of(Offered.name(uri, e));
    }
    double millis = Text.millis(System.nanoTime() - start);
    if (proxy.repliesLost() == lost) {
      throw new IllegalStateException("no reply was lost");
    }
    return new Told(lease, error, millis);
  }

  /**
   * Returns for how many milliseconds the lock was seen held; 0 if it was free at the first look.
   */
  private static double untilFree(LockClient other) throws InterruptedException {
    long start = System.nanoTime();
    if (Offered.isFree(other, NAME)) {
      return 0;
    }
    while (!Offered.isFree(other, NAME)) {
      if (System.nanoTime() - start > LIMIT.toNanos()) {
        throw new IllegalStateException("the lock was still held after " + LIMIT.toSeconds()
            + " s, though its lease was of " + LEASE.toSeconds() + " s");
      }
      TimeUnit.MILLISECONDS.sleep(1);
    }
    return Text.millis(System.nanoTime() - start);
  }
}
