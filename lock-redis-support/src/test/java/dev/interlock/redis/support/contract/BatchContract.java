package dev.interlock.redis.support.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.HoldInfo;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BatchBackend;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalResult;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many questions in one go: each has an answer of its own, and looks come behind all attempts. */
@Timeout(60)
public abstract class BatchContract {
  protected static final Duration LEASE = Duration.ofSeconds(30);
  private static final AtomicLong IDS = new AtomicLong();

  protected RedisServer server;
  protected BatchBackend backend;
  protected BatchBackend.Batch batch;

  /** The provider's id. */
  protected abstract String provider();

  @BeforeEach
  void open() {
    server = TestRedis.builder().owned().start();
    ClientId client = new ClientId("0000111122223333", "host:1");
    backend = (BatchBackend) BackendContext.of(client).open(server.uri(provider()));
    batch = backend.batch();
  }

  @AfterEach
  void close() {
    backend.close();
    server.close();
  }

  protected static HoldId id() {
    return new HoldId(1, IDS.incrementAndGet());
  }

  /** A question without an end fails the test, and does not stop it for ever. */
  protected static <T> T answer(CompletableFuture<T> question) throws Exception {
    return question.get(20, TimeUnit.SECONDS);
  }

  protected static Attempt once(String name, HoldId id) {
    return Attempt.of(name, id, "owner", LEASE);
  }

  @Test
  void eachQuestionHasItsOwnAnswer() throws Exception {
    HoldId held = id();
    assertThat(backend.attempt(once("held", held))).isInstanceOf(Grant.class);
    assertThat(backend.attempt(once("left", held))).isInstanceOf(Grant.class);
    CompletableFuture<AttemptResult> free = batch.attempt(once("free", id()));
    CompletableFuture<AttemptResult> busy = batch.attempt(once("held", id()));
    CompletableFuture<ReleaseResult> released = batch.release(Release.of("left", held));
    CompletableFuture<ReleaseResult> nobodys = batch.release(Release.of("free", held));
    CompletableFuture<Optional<HoldInfo>> seen = batch.inspect("held");
    batch.run();
    assertThat(answer(free)).isInstanceOf(Grant.class);
    assertThat(answer(busy)).isInstanceOf(AttemptResult.Busy.class);
    assertThat(answer(released).held()).isTrue();
    assertThat(answer(nobodys).held()).isFalse();
    assertThat(answer(seen)).isPresent();
    assertThat(backend.inspect("left")).isEmpty();
  }

  @Test
  void Q2_aRenewalRaisesTheTokenAndSaysWhatIsGone() throws Exception {
    HoldId held = id();
    Grant grant = (Grant) backend.attempt(once("held", held));
    long token = grant.fencingToken() + 1_000_000;
    CompletableFuture<RenewalResult> raised =
        batch.renew(Renewal.of("held", held, LEASE, false).withMinToken(token));
    CompletableFuture<RenewalResult> gone = batch.renew(Renewal.of("held", id(), LEASE, false));
    batch.run();
    assertThat(answer(raised)).isInstanceOf(Grant.class);
    assertThat(((Grant) answer(raised)).fencingToken()).isEqualTo(token);
    assertThat(answer(gone)).isInstanceOf(RenewalResult.Gone.class);
    assertThat(backend.inspect("held").orElseThrow().fencingToken()).isEqualTo(token);
  }

  @Test
  void E9_aRenewalThatOtherSoftwareIsInTheWayOfFailsAlone() throws Exception {
    HoldId held = id();
    assertThat(backend.attempt(once("held", held))).isInstanceOf(Grant.class);
    HoldId spoilt = id();
    assertThat(backend.attempt(once("spoilt", spoilt))).isInstanceOf(Grant.class);
    for (String key : server.command("KEYS", "*spoilt*").lines().toList()) {
      server.command("DEL", key);
      server.command("RPUSH", key, "not a lock");
    }
    CompletableFuture<RenewalResult> fails =
        batch.renew(Renewal.of("spoilt", spoilt, LEASE, false));
    CompletableFuture<RenewalResult> renewed = batch.renew(Renewal.of("held", held, LEASE, false));
    batch.run();
    assertThatThrownBy(() -> answer(fails)).hasCauseInstanceOf(LockException.class);
    assertThat(answer(renewed)).isInstanceOf(Grant.class);
  }

  @Test
  void Q4_aLookIsBehindAllAttemptsWheneverItWasAskedFor() throws Exception {
    CompletableFuture<Optional<HoldInfo>> seen = batch.inspect("n9");
    List<CompletableFuture<AttemptResult>> votes = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      votes.add(batch.attempt(once("n" + i, id())));
    }
    batch.run();
    for (CompletableFuture<AttemptResult> vote : votes) {
      assertThat(answer(vote)).isInstanceOf(Grant.class);
    }
    assertThat(answer(seen)).isPresent();
  }

  @Test
  void Q4_aLookIsBehindAnAttemptThatIsSentAgain() throws Exception {
    server.command("SCRIPT", "FLUSH");
    assertThat(backend.inspect("n")).isEmpty(); // that one it knows again
    CompletableFuture<AttemptResult> vote = batch.attempt(once("n", id()));
    CompletableFuture<AttemptResult> another = batch.attempt(once("m", id()));
    CompletableFuture<Optional<HoldInfo>> seen = batch.inspect("m");
    batch.run();
    assertThat(answer(vote)).isInstanceOf(Grant.class);
    assertThat(answer(another)).isInstanceOf(Grant.class);
    assertThat(answer(seen)).isPresent();
  }

  @Test
  void Q4_aLookIsBehindAnAttemptThatIsRepeated() throws Exception {
    HoldId held = id();
    AttemptResult first = backend.attempt(once("n", held));
    CompletableFuture<AttemptResult> repeated =
        batch.attempt(Attempt.of("n", held, "owner", LEASE.multipliedBy(3)));
    CompletableFuture<Optional<HoldInfo>> seen = batch.inspect("n");
    batch.run();
    assertThat(answer(repeated)).isInstanceOf(Grant.class);
    assertThat(((Grant) answer(repeated)).fencingToken()).isEqualTo(((Grant) first).fencingToken());
    assertThat(answer(seen).orElseThrow().remaining()).isGreaterThan(LEASE.multipliedBy(2));
  }

  @Test
  void E3_aServerThatIsGoneFailsEachQuestionAndBlocksNone() throws Exception {
    server.kill();
    CompletableFuture<AttemptResult> vote = batch.attempt(once("n", id()));
    CompletableFuture<ReleaseResult> released = batch.release(Release.of("m", id()));
    CompletableFuture<Optional<HoldInfo>> seen = batch.inspect("n");
    batch.run();
    for (CompletableFuture<?> one : List.of(vote, released, seen)) {
      assertThatThrownBy(() -> answer(one)).hasCauseInstanceOf(LockException.class);
    }
  }

  @Test
  void E3_whatAStalledServerDoesNotAnswerIsUnknown() throws Exception {
    server.pause();
    try {
      CompletableFuture<AttemptResult> vote = batch.attempt(once("n", id()));
      CompletableFuture<ReleaseResult> released = batch.release(Release.of("m", id()));
      CompletableFuture<RenewalResult> renewed = batch.renew(Renewal.of("m", id(), LEASE, false));
      batch.run();
      for (CompletableFuture<?> one : List.of(vote, released, renewed)) {
        assertThatThrownBy(() -> answer(one)).hasCauseInstanceOf(OutcomeUnknownException.class);
      }
    } finally {
      server.resume();
    }
  }
}
