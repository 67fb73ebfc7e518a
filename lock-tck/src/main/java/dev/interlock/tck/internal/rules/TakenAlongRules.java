package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.HoldInfo;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.RenewalResult;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * What several rules say of attempts that a release takes along, or names as passed, where the
 * backend hands locks on.
 */
public final class TakenAlongRules {
  private static final long LONG = 60_000;
  private static final int RESERVED = 12;

  private TakenAlongRules() {}

  @Rule(
      value = "F2",
      check = "that what a release takes along comes behind those who stand in the queue")
  public static void whatAReleaseTakesAlongPassesNobody(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    DirectBackend client = run.direct();
    DirectBackend other = run.direct();
    if (!(client.backend() instanceof HandOffBackend)) {
      return;
    }
    Duration limit = run.limit(3_000);
    for (boolean fair : new boolean[] {true, false}) {
      String name = run.name();
      Attempt held = patient(run, client, name);
      Attempt waiting = patient(run, other, name);
      Attempt next = patient(run, client, name).withFair(fair);
      client.acquire(held, limit);
      run.expect(
          other.attempt(waiting) instanceof AttemptResult.Queued,
          "a request for a held lock stands in the queue",
          "it does not");
      ReleaseResult released = client.release(Release.of(name, held.id()).withNext(next));
      run.expect(released.held(), "a hold that is there is given up", "it was not there");
      run.expect(
          !(released.next() instanceof Grant) && released.granted() == null,
          "what a release takes along is not granted before one who stands in the queue",
          "it was: " + released);
      other.acquire(waiting, limit);
      run.expectWhileHeld(
          name,
          () -> !(client.attempt(next) instanceof Grant),
          "what a release took along is kept out by who was served",
          "it was granted too");
      other.release(name, waiting.id());
      client.acquire(next, limit);
      client.release(name, next.id());
      run.count(2);
    }
  }

  @Rule(
      value = "W3",
      check = "that what a release takes along has the lock, or waits for it as before",
      timed = true)
  public static void whatAReleaseTakesAlongIsServed(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    DirectBackend client = run.direct();
    DirectBackend other = run.direct();
    for (UnaryOperator<Attempt> kind : Leases.attempts(run).values()) {
      String name = run.name();
      Attempt held = once(run, client, name);
      Attempt next = kind.apply(once(run, client, name).withPatience(run.ms(LONG)));
      client.acquire(held, run.limit(3_000));
      client.attempt(next);
      run.willBeHeld(name, run.ms(LONG));
      ReleaseResult released = client.release(Release.of(name, held.id()).withNext(next));
      run.expect(released.held(), "a hold that is there is given up", "it was not there");
      if (!(released.next() instanceof Grant)) {
        client.acquire(next, Queues.servedWithin(run));
      }
      Attempt stranger = once(run, other, name);
      run.expectWhileHeld(
          name,
          () -> !(other.attempt(stranger) instanceof Grant),
          "a lock that a release has handed on is closed to others",
          "it was given again");
      client.release(name, next.id());
      other.acquire(stranger, run.limit(3_000));
      other.release(name, stranger.id());
      run.count(2);
    }
  }

  @Rule(value = "L4", check = "that what a release takes along has its own lease", timed = true)
  public static void whatAReleaseTakesAlongHasItsOwnLease(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    DirectBackend client = run.direct();
    for (UnaryOperator<Attempt> kind : Leases.attempts(run).values()) {
      for (Duration lease : List.of(run.ms(LONG / 4), run.ms(LONG * 4))) {
        Attempt held = once(run, client, run.name());
        Attempt next = kind.apply(
            Attempt.of(held.name(), client.newId(), "tck-next", lease).withPatience(run.ms(LONG)));
        client.acquire(held, run.limit(3_000));
        long called = System.nanoTime();
        takeAlong(run, client, held, next);
        Duration left =
            client.backend().inspect(held.name()).map(HoldInfo::remaining).orElse(Duration.ZERO);
        Duration least = lease.minus(RuleRun.since(called)).minus(Leases.ROUNDED);
        run.expect(
            left.compareTo(least) >= 0
                && left.compareTo(lease.plus(run.expiry(0)).plus(Leases.ROUNDED)) <= 0,
            "of a lease of " + lease + " that a release took along at least " + least
                + " remain, and no more than the lease",
            left + " remain");
        client.release(next.name(), next.id());
      }
    }
  }

  @Rule(value = "T1", check = "that what a release takes along has a token of its own")
  public static void whatAReleaseTakesAlongHasItsOwnToken(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    DirectBackend client = run.direct();
    for (UnaryOperator<Attempt> kind : Leases.attempts(run).values()) {
      Attempt held = once(run, client, run.name()).withTokens(RESERVED);
      Attempt next = kind.apply(once(run, client, held.name()).withPatience(run.ms(LONG)));
      Grant first = client.acquire(held, run.limit(3_000));
      long last = first.fencingToken() + first.tokens() - 1;
      long token = takeAlong(run, client, held, next).fencingToken();
      run.expect(
          token > last,
          "the token of what a release takes along is larger than all that the hold had, up to "
              + last,
          "it is " + token);
      client.release(next.name(), next.id());
    }
  }

  /** Releases, and repeats what was taken along if it was not granted. */
  private static Grant takeAlong(RuleRun run, DirectBackend client, Attempt held, Attempt next)
      throws InterruptedException {
    ReleaseResult released = client.release(Release.of(held.name(), held.id()).withNext(next));
    run.expect(released.held(), "a hold that is there is given up", "it was not there");
    return released.next() instanceof Grant granted
        ? granted
        : client.acquire(next, run.limit(3_000));
  }

  @Rule(
      value = "W12",
      check = "that attempts which a release names as passed have no place, and are not granted")
  public static void whoHasBeenPassedStandsInNoQueue(RuleRun run) throws Exception {
    if (run.isForeign() || !run.has(Capability.FAIR)) {
      return;
    }
    DirectBackend client = run.direct();
    DirectBackend other = run.direct();
    if (!(client.backend() instanceof HandOffBackend)) {
      return;
    }
    Duration limit = run.limit(3_000);
    for (boolean isThere : new boolean[] {true, false}) {
      String name = run.name();
      Attempt held = patient(run, client, name);
      client.acquire(held, limit);
      if (!isThere) {
        client.release(name, held.id());
        other.acquire(patient(run, other, name), limit);
      }
      Attempt passed = patient(run, client, name);
      Attempt next = patient(run, other, name);
      client.attempt(passed);
      other.attempt(next);
      ReleaseResult released =
          client.release(Release.of(name, held.id()).withPassed(List.of(passed.id())));
      run.expect(
          released.held() == isThere,
          "a release tells whether the hold was there",
          "it answered " + released);
      run.expect(
          client.refresh(passed) instanceof RenewalResult.Gone,
          "what a release names as passed has no place any more, though the hold was "
              + (isThere ? "there" : "gone"),
          "it is there");
      if (isThere) {
        other.acquire(next, limit);
      } else {
        run.expect(
            other.refresh(next) instanceof RenewalResult.Queued,
            "who stands behind it still waits",
            "it does not");
      }
      run.count(2);
    }
  }

  private static Attempt once(RuleRun run, DirectBackend client, String name) {
    return Attempt.of(name, client.newId(), "tck-" + client.newId(), run.ms(LONG));
  }

  private static Attempt patient(RuleRun run, DirectBackend client, String name) {
    return Attempt.of(name, client.newId(), "tck", run.ms(LONG))
        .withFair(true)
        .withPatience(run.ms(LONG));
  }
}
