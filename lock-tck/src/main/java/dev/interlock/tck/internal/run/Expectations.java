package dev.interlock.tck.internal.run;

import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.tck.NotOfferedException;
import dev.interlock.tck.TckScales;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * What clients must be able to do at a point of a test, or the rule fails; and what the API under
 * test may lack.
 */
abstract class Expectations extends Times {
  private final Holdings holdings = new Holdings();

  Expectations(TckScales scales) {
    super(scales);
  }

  Holdings holdings() {
    return holdings;
  }

  @Override
  void restart() {
    super.restart();
    holdings.restart();
  }

  /**
   * Notes that a lock is about to be taken where this JVM does not see it: by a worker, or by an
   * attempt whose answer is lost. What clients and backends of this JVM hold is noted without that.
   *
   * @return the lease in nanoseconds, for the worker's task
   */
  public long willBeHeld(String name, Duration lease) {
    holdings.add(name, new Object(), System.nanoTime(), lease);
    return lease.toNanos();
  }

  /** Returns a lock name that nobody used before. */
  public abstract String name();

  /**
   * Fails the rule unless this client gets the lock in time; releases it again.
   *
   * @return how long it took
   */
  public Duration expectFree(LockClient client, String name, Duration limit, String when)
      throws InterruptedException {
    long start = System.nanoTime();
    LockRequest request = LockRequest.of(name).withLease(ms(10_000)).withWait(limit);
    try {
      client.acquire(request).release();
    } catch (LockTimeoutException e) {
      String expected =
          when + " another client acquires the lock within " + limit.toMillis() + " ms";
      List<String> seen = List.of("inspect says: " + inspection(client, name));
      // What is merely late comes about in twice the time; a lock that nobody frees does not.
      try {
        client.acquire(request).release();
      } catch (LockTimeoutException again) {
        throw new RuleViolation(expected, "it was still held by another", seen);
      }
      throw RuleViolation.late(expected, "it was still held by another", seen);
    }
    count(2);
    return since(start);
  }

  /** Fails the rule unless this client acquires and releases again before the limit is over. */
  public void expectWorking(LockClient client, Duration limit, String when)
      throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (true) {
      try {
        LockRequest request = LockRequest.of(name()).withLease(ms(10_000));
        client.acquire(request.withWait(limit)).release();
        count(2);
        return;
      } catch (LockException e) {
        if (System.nanoTime() - deadline > 0) {
          throw RuleViolation.late(
              when + " the same client works again within " + limit.toMillis() + " ms",
              "it did not",
              RuleViolation.trace(e));
        }
        pause(STEP);
      }
    }
  }

  /** Fails the rule if this client can enter the lock, which is held. */
  public void expectHeld(LockClient client, String name, String when) {
    LockRequest request = LockRequest.of(name).withLease(ms(1_000));
    expectWhileHeld(
        name,
        () -> client.tryAcquire(request).isEmpty(),
        when + " nobody else gets the lock",
        "another client got it");
  }

  /** What is true as long as a lock is held. */
  @FunctionalInterface
  public interface WhileHeld<X extends Exception> {
    boolean look() throws X;
  }

  /**
   * Fails the rule unless a condition is true, which it is as long as the lock is held by those who
   * hold it now. Their leases may run out before the look is over, on a slow machine: then the test
   * ends, for it shows nothing.
   */
  public <X extends Exception> void expectWhileHeld(
      String name, WhileHeld<X> condition, String expected, String happened) throws X {
    expectWhileHeld(name, condition, expected, () -> happened);
  }

  /** The same with words that are only known afterwards. */
  public <X extends Exception> void expectWhileHeld(
      String name, WhileHeld<X> condition, String expected, Supplier<String> words) throws X {
    count(1);
    Holdings.Seen seen = holdings.seen(name);
    long start = System.nanoTime();
    boolean met = condition.look();
    long end = System.nanoTime();
    if (met) {
      return;
    }
    String happened = words.get();
    if (seen.runAt(end)) {
      throw RuleViolation.atAnySpeed(expected, happened, List.of());
    }
    if (seen.haveRunOutAt(start)) {
      throw NotReached.tooLate(
          "for the lease on " + name + " had run out before this: " + happened);
    }
    // The look itself may have lasted until then, by fault of the machine or of the backend.
    throw seen.haveRunOutAt(end)
        ? RuleViolation.late(expected, happened, List.of())
        : new RuleViolation(expected, happened, List.of());
  }

  /** Says who holds a lock, for a message. */
  public static String inspection(LockClient client, String name) {
    try {
      return client.inspect(name).map(Object::toString).orElse("free");
    } catch (NotOfferedException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** A part of a test that can be left out. */
  @FunctionalInterface
  public interface Part {
    void run() throws Exception;
  }

  /**
   * Runs a part of a test, unless the API under test cannot express it. A provider of Interlock can
   * express everything.
   */
  public void ifOffered(Part part) throws Exception {
    try {
      part.run();
    } catch (NotOfferedException e) {
      note(String.valueOf(e.getMessage()));
    }
  }
}
