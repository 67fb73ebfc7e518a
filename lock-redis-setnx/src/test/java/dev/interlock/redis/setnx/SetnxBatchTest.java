package dev.interlock.redis.setnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.HoldInfo;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.redis.support.contract.BatchContract;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Also of a batch that is sent at once, and whose answers are awaited for a moment or read later.
 */
class SetnxBatchTest extends BatchContract {
  @Override
  protected String provider() {
    return RedisSetnxProvider.ID;
  }

  /** Sends a batch at once; the connection was used just before. */
  private void send() {
    assertThat(backend.inspect("n")).isEmpty();
    assertThat(batch.send()).isTrue();
  }

  @Test
  void whatWasSentAtOnceIsAwaitedByItsCaller() throws Exception {
    assertThat(backend.attempt(once("known", id()))).isInstanceOf(Grant.class);
    for (int i = 0; i < 100; i++) { // more than there are connections
      batch = backend.batch();
      CompletableFuture<AttemptResult> vote = batch.attempt(once("a" + i, id()));
      CompletableFuture<Optional<HoldInfo>> seen = batch.inspect("a" + i);
      send();
      assertThat(batch.await(TimeUnit.SECONDS.toNanos(10))).isTrue();
      assertThat(answer(vote)).isInstanceOf(Grant.class);
      assertThat(answer(seen)).isPresent();
    }
  }

  @Test
  void whatHasNoAnswerSoonIsReadLater() throws Exception {
    for (int i = 0; i < 20; i++) { // more than there are connections
      batch = backend.batch();
      CompletableFuture<AttemptResult> vote = batch.attempt(once("a" + i, id()));
      CompletableFuture<Optional<HoldInfo>> seen = batch.inspect("a" + i);
      assertThat(backend.inspect("n")).isEmpty();
      server.pause();
      assertThat(batch.send()).isTrue();
      assertThat(batch.await(1)).isFalse();
      assertThat(vote).isNotDone();
      server.resume();
      batch.run();
      assertThat(answer(vote)).isInstanceOf(Grant.class);
      assertThat(answer(seen)).isPresent();
    }
  }

  @Test
  void E3_whatWasSentToAServerThatIsGoneThenIsUnknown() throws Exception {
    CompletableFuture<AttemptResult> vote = batch.attempt(once("n", id()));
    CompletableFuture<ReleaseResult> released = batch.release(Release.of("m", id()));
    assertThat(backend.inspect("n")).isEmpty();
    server.pause();
    assertThat(batch.send()).isTrue();
    server.kill();
    assertThat(batch.await(TimeUnit.SECONDS.toNanos(10))).isFalse();
    batch.run();
    for (CompletableFuture<?> one : List.of(vote, released)) {
      assertThatThrownBy(() -> answer(one)).hasCauseInstanceOf(OutcomeUnknownException.class);
    }
  }

  @Test
  void Q4_aLookIsBehindAnAttemptThatWasSentAtOnceAndAgain() throws Exception {
    CompletableFuture<AttemptResult> vote = batch.attempt(once("n", id()));
    CompletableFuture<Optional<HoldInfo>> seen = batch.inspect("n");
    server.command("SCRIPT", "FLUSH");
    send();
    if (!batch.await(TimeUnit.SECONDS.toNanos(10))) {
      batch.run();
    }
    assertThat(answer(vote)).isInstanceOf(Grant.class);
    assertThat(answer(seen)).isPresent();
  }

  @Test
  void Q4_aLookIsBehindAnAttemptThatWasSentAtOnceAndIsRepeated() throws Exception {
    HoldId held = id();
    assertThat(backend.attempt(once("m", held))).isInstanceOf(Grant.class);
    CompletableFuture<AttemptResult> repeated =
        batch.attempt(Attempt.of("m", held, "owner", LEASE.multipliedBy(3)));
    CompletableFuture<Optional<HoldInfo>> seen = batch.inspect("m");
    send();
    if (!batch.await(TimeUnit.SECONDS.toNanos(10))) {
      batch.run();
    }
    assertThat(answer(repeated)).isInstanceOf(Grant.class);
    assertThat(answer(seen).orElseThrow().remaining()).isGreaterThan(LEASE.multipliedBy(2));
  }
}
