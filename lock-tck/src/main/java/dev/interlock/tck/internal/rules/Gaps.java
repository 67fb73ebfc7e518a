package dev.interlock.tck.internal.rules;

import dev.interlock.tck.NotOfferedException;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.fault.Injection;
import dev.interlock.tck.internal.fault.MessageFault;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Lets somebody else act before each request of a call, in turn: a proxy keeps that request back
 * meanwhile. What is one step on the server bears it. Two steps that should be one are met by the
 * other in between, every time.
 */
final class Gaps {
  /** More requests than any call needs: those after it come from the client's own habits. */
  static final int MOST_REQUESTS = 8;

  /** What the other may need; a server may make it wait for the call that is kept back. */
  private static final long OTHERS_TURN = 400;

  private static final long LONGEST_CALL = 20_000;

  /** A call whose client is behind the proxy. */
  interface Scene<T> {
    /** Prepares, on names of its own. */
    Act<T> prepare() throws Exception;
  }

  /** One try. */
  interface Act<T> {
    /** The call whose requests are kept back. */
    T call() throws Exception;

    /** What another does in between. */
    void meanwhile() throws Exception;

    /** Judges when both are done; empty if the call failed. */
    void judge(Optional<T> answer) throws Exception;
  }

  private Gaps() {}

  /** Tells, for the evidence, where no proxy can be. */
  static boolean canBeTried(RuleRun run) {
    boolean can = run.offers(TckFault.CONNECTION);
    if (!can) {
      run.note(
          "nobody acted between the requests of a call: no proxy can stand before this server");
    }
    return can;
  }

  /** Plays the scene once for each gap. */
  static <T> void each(RuleRun run, FaultProxy proxy, String what, Scene<T> scene)
      throws Exception {
    int gaps = 0;
    boolean reached = true;
    for (int nth = 1; reached && nth <= MOST_REQUESTS; nth++) {
      Act<T> act = scene.prepare();
      CompletableFuture<T> call = new CompletableFuture<>();
      reached = begin(run, proxy, nth, act, call);
      Optional<T> answer = Optional.empty();
      try {
        answer = Optional.of(call.get(run.limit(LONGEST_CALL).toMillis(), TimeUnit.MILLISECONDS));
      } catch (ExecutionException e) {
        if (e.getCause() instanceof NotOfferedException notOffered) {
          throw notOffered;
        }
      }
      run.count(1);
      act.judge(answer);
      gaps += reached ? 1 : 0;
    }
    run.requireHit(gaps, "another client acting in each gap of " + what);
  }

  /**
   * Plays it for one gap, and does not wait for the call.
   *
   * @return whether the call had as many requests
   */
  static <T> boolean begin(
      RuleRun run, FaultProxy proxy, int nth, Act<T> act, CompletableFuture<T> call)
      throws Exception {
    Duration most = run.limit(5 * OTHERS_TURN);
    Injection kept = proxy.inject(Injection.of(MessageFault.REQUEST_LATE, "", nth, 1, most));
    begin(act::call, call);
    // A call that waits for the lock sends nothing more until it is told, or looks again.
    // But each sends a first request, however late its thread begins.
    long patience = nth == 1 ? LONGEST_CALL : OTHERS_TURN;
    until(run, patience, () -> kept.hits() > 0 || call.isDone());
    CompletableFuture<Boolean> other = new CompletableFuture<>();
    begin(
        () -> {
          act.meanwhile();
          return true;
        },
        other);
    until(run, OTHERS_TURN, other::isDone);
    kept.letGo();
    proxy.forget(kept);
    try {
      other.get(run.limit(LONGEST_CALL).toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
    return kept.hits() > 0;
  }

  private static void until(RuleRun run, long millis, BooleanSupplier condition)
      throws InterruptedException {
    long end = System.nanoTime() + run.limit(millis).toNanos();
    while (!condition.getAsBoolean() && System.nanoTime() - end < 0) {
      RuleRun.pause(Duration.ofMillis(1));
    }
  }

  private static <T> void begin(Callable<T> action, CompletableFuture<T> answer) {
    Thread thread = new Thread(
        () -> {
          try {
            answer.complete(action.call());
          } catch (Throwable t) {
            answer.completeExceptionally(t);
          }
        },
        "tck-gap");
    thread.setDaemon(true);
    thread.start();
  }
}
