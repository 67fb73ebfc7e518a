package dev.interlock.tck.internal.rules;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.function.UnaryOperator;

/** What F2 and W3 say of attempts that a release takes along, where the backend hands locks on. */
public final class TakenAlongRules {
  private static final long LONG = 60_000;

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

  private static Attempt once(RuleRun run, DirectBackend client, String name) {
    return Attempt.of(name, client.newId(), "tck-" + client.newId(), run.ms(LONG));
  }

  private static Attempt patient(RuleRun run, DirectBackend client, String name) {
    return Attempt.of(name, client.newId(), "tck", run.ms(LONG))
        .withFair(true)
        .withPatience(run.ms(LONG));
  }
}
