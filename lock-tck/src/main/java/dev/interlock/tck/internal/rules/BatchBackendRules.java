package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.HoldInfo;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BatchBackend;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalResult;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Rule N8 for the questions of several sorts that a {@link BatchBackend} asks in one go. */
public final class BatchBackendRules {
  private static final long LONG = 60_000;

  private BatchBackendRules() {}

  @Rule(
      value = "N8",
      check = "that a batch of questions of several sorts is answered as they are one by one",
      timed = true)
  public static void eachQuestionOfABatchHasItsOwnAnswer(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    DirectBackend direct = run.direct();
    if (!(direct.backend() instanceof BatchBackend backend)) {
      return;
    }
    new Questions(run, direct, run.direct(), backend).ask(BatchBackend.Batch::run);
    long patience = run.limit(2_000).toNanos();
    new Questions(run, direct, run.direct(), backend).ask(batch -> {
      if (!batch.send() || !batch.await(patience)) {
        batch.run();
      }
    });
    run.note("batches of questions of several sorts were answered as they are one by one");
  }

  private record Held(Attempt attempt, long token) {}

  private static final class Questions {
    private final RuleRun run;
    private final DirectBackend direct;
    private final DirectBackend other;
    private final BatchBackend backend;
    private final List<Held> looked = new ArrayList<>();

    Questions(RuleRun run, DirectBackend direct, DirectBackend other, BatchBackend backend) {
      this.run = run;
      this.direct = direct;
      this.other = other;
      this.backend = backend;
    }

    void ask(Consumer<BatchBackend.Batch> way) throws Exception {
      Attempt free = attempt(direct, run.name());
      Held own = held(direct);
      Held taken = held(other);
      Held left = held(direct);
      Held longer = held(direct);
      Held ended = held(direct);
      direct.release(ended.attempt().name(), ended.attempt().id());
      run.willBeHeld(free.name(), run.ms(LONG));

      BatchBackend.Batch batch = backend.batch();
      CompletableFuture<AttemptResult> first = batch.attempt(free);
      CompletableFuture<AttemptResult> again = batch.attempt(own.attempt());
      CompletableFuture<AttemptResult> busy =
          batch.attempt(attempt(direct, taken.attempt().name()));
      CompletableFuture<ReleaseResult> released = batch.release(release(left));
      CompletableFuture<ReleaseResult> nobodys = batch.release(release(ended));
      CompletableFuture<Optional<HoldInfo>> spent =
          batch.inspect(ended.attempt().name());
      CompletableFuture<Optional<HoldInfo>> others =
          batch.inspect(taken.attempt().name());
      CompletableFuture<Optional<HoldInfo>> begun = batch.inspect(free.name());
      long raised = longer.token() + FencingRules.A_FEW;
      CompletableFuture<RenewalResult> renewed = batch.renew(renewal(longer).withMinToken(raised));
      CompletableFuture<RenewalResult> gone = batch.renew(renewal(ended));
      way.accept(batch);

      Held granted = granted(free, answer(first), "an attempt on a free lock");
      expect(
          granted(own.attempt(), answer(again), "an attempt of the holder").token() == own.token(),
          own,
          "the holder's attempt keeps its token");
      expect(
          answer(busy) instanceof AttemptResult.Busy, taken, "an attempt on a held lock is Busy");
      expect(answer(released).held(), left, "a release finds its hold");
      expect(!answer(nobodys).held(), ended, "a release of what has ended finds nothing");
      expect(answer(spent).isEmpty(), ended, "a look at a free lock tells nobody");
      expectLook(taken, answer(others), "of another's hold");
      expectLook(granted, answer(begun), "of what an attempt of the same batch has got");
      boolean isRaised = answer(renewed) instanceof Grant grant
          && (!run.has(Capability.FENCED) || grant.fencingToken() == raised);
      expect(isRaised, longer, "a renewal raises the token");
      Duration rest = direct
          .backend()
          .inspect(longer.attempt().name())
          .map(HoldInfo::remaining)
          .orElse(Duration.ZERO);
      expect(rest.compareTo(run.ms(LONG)) > 0, longer, "a renewal makes the lease longer");
      run.expect(
          direct.backend().inspect(left.attempt().name()).isEmpty(),
          "what a batch released is free",
          "it is held");
      expect(
          answer(gone) instanceof RenewalResult.Gone, ended, "a renewal of what has ended is Gone");
      for (Held hold : List.of(granted, own, longer)) {
        run.expectWhileHeld(
            hold.attempt().name(),
            () -> direct.release(hold.attempt().name(), hold.attempt().id()),
            "what a batch got or kept is held",
            "it is not");
      }
      run.count(looked.size());
    }

    private Attempt attempt(DirectBackend of, String name) {
      return Attempt.of(name, of.newId(), "tck", run.ms(LONG));
    }

    private Held held(DirectBackend by) throws InterruptedException {
      Attempt attempt = attempt(by, run.name());
      return new Held(attempt, by.acquire(attempt, run.limit(3_000)).fencingToken());
    }

    private Renewal renewal(Held hold) {
      return Renewal.of(hold.attempt().name(), hold.attempt().id(), run.ms(2 * LONG), false);
    }

    private static Release release(Held hold) {
      return Release.of(hold.attempt().name(), hold.attempt().id());
    }

    private <T> T answer(CompletableFuture<T> question) throws Exception {
      return question.get(run.limit(20_000).toMillis(), TimeUnit.MILLISECONDS);
    }

    private Held granted(Attempt attempt, AttemptResult answer, String what) {
      run.expectWhileHeld(
          attempt.name(),
          () -> answer instanceof Grant,
          "in a batch " + what + " is granted",
          "it is answered " + answer);
      return new Held(attempt, answer instanceof Grant grant ? grant.fencingToken() : 0);
    }

    private void expect(boolean met, Held of, String what) {
      looked.add(of);
      run.expectWhileHeld(of.attempt().name(), () -> met, "in a batch " + what, "it does not");
    }

    private void expectLook(Held hold, Optional<HoldInfo> told, String what) {
      expect(
          told.isPresent()
              && (!run.has(Capability.FENCED) || told.get().fencingToken() == hold.token()),
          hold,
          "a look tells " + what);
    }
  }
}
