package dev.interlock.compare.facts;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.compare.facts.Line.Turn;
import dev.interlock.compare.figures.Waiting;
import dev.interlock.compare.peers.Clients;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Watches a holder and those who wait for it while another server takes the place of theirs. */
final class TakeOver {
  /** On a machine that is busy a fail-over takes some seconds, and it must not outlast a lease. */
  static final Duration LEASE = Duration.ofSeconds(10);

  private static final String NAME = "fact-fail-over";
  private static final int LIMIT_SECONDS = 30;

  /** Where there is an order to be kept; one elsewhere. */
  private static final int WAITERS = 3;

  /** A renewal, and the way to the other server. */
  private static final Duration WATCHED = LEASE.dividedBy(2);

  /** If the hold is gone, until the holder has found out, at the end of its lease at the latest. */
  private static final Duration WATCHED_WHEN_GONE = LEASE.plusSeconds(5);

  private static final int POLL_MILLIS = 5;

  /** In place of a fencing token. */
  private static final long NO_TOKEN = -1;

  private final String uri;
  private final String successor;
  private final String kind;
  private final Map<String, Double> figures;

  /** What is done to the servers. */
  interface Injury {
    void run(Lease hold) throws Exception;
  }

  /**
   * Prepares to watch.
   *
   * @param successor where the lock is found afterwards
   * @param kind goes on after the names of the figures
   */
  TakeOver(String uri, String successor, String kind, Map<String, Double> figures) {
    this.uri = uri;
    this.successor = successor;
    this.kind = kind;
    this.figures = figures;
  }

  /** Injures the servers under a holder and those who wait. */
  String watch(Injury injury) throws Exception {
    Waiting waiting = new Waiting();
    try (LockClient holder = Clients.open(uri);
        LockClient other = waiting.open(uri)) {
      LockRequest plain =
          Offered.fair(other, LockRequest.of(NAME).withWait(Duration.ofSeconds(LIMIT_SECONDS)));
      Offered.useOften(holder, plain);
      Traces hold = Traces.of(
          uri, NAME, () -> holder.acquire(Offered.renewing(holder, plain.withLease(LEASE))));
      Lease lease = hold.lease();
      long token = hold.token().orElse(NO_TOKEN);
      Optional<Loss> loss = Loss.of(lease);
      Line line = new Line(uri);
      int waiters = other.capabilities().contains(Capability.FAIR) ? WAITERS : 1;
      for (int i = 0; i < waiters; i++) {
        line.join(other, Offered.usual(other, plain));
        waiting.await();
      }
      Duration left = Offered.ask(lease::remaining).orElse(LEASE);
      long start = System.nanoTime();
      injury.run(lease);
      long injured = System.nanoTime();
      boolean there = hold.areAt(successor);
      Duration looked = Duration.ofNanos(System.nanoTime() - start);
      if (!there && looked.compareTo(left) >= 0 && !movedWithin(left, start, line)) {
        // It may have been there until its end.
        throw new TooLateException(looked);
      }
      Duration watched = there ? WATCHED : WATCHED_WHEN_GONE;
      while (System.nanoTime() - injured < watched.toNanos()
          && !(line.hasMoved() && loss.map(Loss::isTold).orElse(true))) {
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      }
      return found(there, !there && movedWithin(left, start, line))
          + released(lease, loss, line, start)
          + served(line, token);
    }
  }

  private static boolean movedWithin(Duration time, long start, Line line) {
    return line.hasMoved() && line.firstAt() - start < time.toNanos();
  }

  private String found(boolean there, boolean again) {
    figures.put("lockIsThere" + kind, there ? 1.0 : 0.0);
    figures.put("grantedTwice" + kind, again ? 1.0 : 0.0);
    return "the hold is " + (there ? "there; " : "not there; ")
        + (again ? "the lock is granted again within the lease; " : "");
  }

  /** What the holder is told, how its release ends, and when the next one has the lock. */
  private String released(Lease lease, Optional<Loss> loss, Line line, long start)
      throws InterruptedException, ExecutionException {
    boolean early = line.hasMoved();
    Map<String, Double> seen = new TreeMap<>();
    String told = Loss.told(loss, start, early ? line.firstAt() : Long.MAX_VALUE, 0, seen);
    seen.forEach((name, value) -> figures.put(name + kind, value));
    long called = System.nanoTime();
    String words = told + "; its release " + release(lease) + ". ";
    boolean served = line.awaitFirst(LIMIT_SECONDS + 5);
    double millis = served ? Text.millis(line.firstAt() - start) : -1;
    figures.put("nextHasItMillis" + kind, millis);
    return served
        ? words + "The next one has the lock after " + Text.ms(millis)
            + (early
                ? ". "
                : ", " + Text.ms(Text.millis(line.firstAt() - called))
                    + " after the call of the release. ")
        : words;
  }

  private String release(Lease lease) {
    try {
      lease.release();
      return "returns";
    } catch (RuntimeException e) {
      return "throws " + Offered.name(uri, e);
    }
  }

  /** Lets the lock go from one to the next, and says in which order it did. */
  private String served(Line line, long before) throws InterruptedException, TimeoutException {
    List<Turn> served = new ArrayList<>();
    Set<String> failures = new TreeSet<>();
    boolean grow = true;
    long last = before;
    for (int i = 0; i < line.length(); i++) {
      Turn turn = line.next(LIMIT_SECONDS + 5);
      if (turn.lease().isEmpty()) {
        failures.add(turn.failure());
        continue;
      }
      Lease lease = turn.lease().get();
      if (before != NO_TOKEN) {
        grow &= lease.fencingToken() > last;
        last = lease.fencingToken();
      }
      lease.release();
      served.add(turn);
    }
    return order(line, served, failures) + (served.isEmpty() ? "" : tokens(before, grow));
  }

  private String order(Line line, List<Turn> served, Set<String> failures) {
    int failed = line.length() - served.size();
    if (line.length() == 1) {
      return failed == 0 ? "" : "The next one ends with " + String.join(", ", failures) + ".";
    }
    served.sort(Comparator.comparingInt(Turn::place));
    int overtakes =
        ManyWaiters.overtakes(served.stream().map(Turn::at).toList()).count();
    figures.put("overtakes" + kind, (double) overtakes);
    figures.put("waitersServed" + kind, (double) served.size());
    return "Of " + line.length() + " waiters "
        + (failed == 0 ? "" : failed + " end with " + String.join(", ", failures) + "; ")
        + (overtakes == 0
            ? (failed == 0 ? "all" : "the others") + " come in their order. "
            : overtakes + " had the lock before one that had waited longer. ");
  }

  private String tokens(long before, boolean grow) {
    if (before == NO_TOKEN) {
      return "There are no fencing tokens.";
    }
    figures.put("tokensGrow" + kind, grow ? 1.0 : 0.0);
    return "Fencing tokens " + (grow ? "go on growing." : "do not go on growing.");
  }
}
