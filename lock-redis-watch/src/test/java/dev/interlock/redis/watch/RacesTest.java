package dev.interlock.redis.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.contract.BackendContract;
import dev.interlock.redis.support.contract.TestClient;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.redis.watch.Interposed.Fault;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult.Busy;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens between the look and the change, and to round trips that are lost or late. */
@Timeout(60)
class RacesTest {
  private static final int CHANGE = 2;
  private static RedisServer server;

  private Interposed disturbed;
  private TestClient client;
  private TestClient other;
  private HoldId a;
  private HoldId b;

  @BeforeAll
  static void startServer() {
    server = TestRedis.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @BeforeEach
  void openClients() {
    server.command("FLUSHALL");
    disturbed = Interposed.open(server);
    client = disturbed.client();
    other = TestClient.deaf(TestClient.config(RedisWatchProvider.ID, server).build());
    a = client.id();
    b = other.id();
  }

  @AfterEach
  void closeClients() {
    disturbed.calm();
    disturbed.close();
    other.close();
  }

  @Test
  void X1_aLockThatIsTakenBetweenLookAndChangeIsBusy() {
    disturbed.beforeFlush(CHANGE, () -> other.acquire("n", b));
    assertThat(client.tryOnce("n", a)).isInstanceOf(Busy.class);
    assertThat(other.release("n", b)).isTrue();
    assertThat(disturbed.flushes()).isEqualTo(4);
  }

  @Test
  void T1_aLockThatWasTakenAndFreedInBetweenGetsALargerToken() {
    long[] theirs = new long[1];
    disturbed.beforeFlush(CHANGE, () -> {
      theirs[0] = other.acquire("n", b);
      other.release("n", b);
    });
    long token = client.acquire("n", a);
    assertThat(theirs[0]).as("it was taken").isPositive();
    assertThat(token).isGreaterThan(theirs[0]);
  }

  @Test
  void T1_theHolderOfAnotherLockOfTheBucketNeverSetsTheTokensBack() {
    String neighbour = inBucketOf("n");
    long[] block = new long[1];
    disturbed.beforeFlush(CHANGE, () -> {
      Attempt attempt = TestClient.attempt("n", b, TestClient.LEASE, Duration.ZERO, 1_000_000);
      block[0] = ((Grant) other.backend.attempt(attempt)).fencingToken();
      other.release("n", b);
    });
    client.acquire(neighbour, a);
    assertThat(block[0]).as("a block was reserved").isPositive();
    assertThat(client.acquire("n", a)).isGreaterThanOrEqualTo(block[0] + 1_000_000);
  }

  @Test
  void anAbortedTransactionIsRepeatedAFewTimesOnlyAndThenTheLockIsBusy() {
    disturbed.beforeEveryChange(() -> {
      other.acquire("n", b);
      other.release("n", b);
    });
    assertThat(client.tryOnce("n", a)).isInstanceOf(Busy.class);
    assertThat(disturbed.flushes()).isEqualTo(10);
    assertThat(((Busy) client.tryPatiently("n", a)).recheck()).isLessThan(Duration.ofMillis(100));
    disturbed.calm();
    assertThat(client.tryOnce("n", a)).isInstanceOf(Grant.class);
  }

  @Test
  void anAbortedReleaseIsRepeatedAFewTimesOnlyAndThenAnErrorThatCanBeRetried() {
    client.acquire("n", a);
    disturbed.beforeEveryChange(() -> server.command("PEXPIRE", BackendContract.key("n"), "9000"));
    assertThatThrownBy(() -> client.release("n", a))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("release lock 'n'");
    assertThatThrownBy(() -> renew(a)).isInstanceOf(BackendUnavailableException.class);
    disturbed.calm();
    assertThat(client.release("n", a)).isTrue();
  }

  @Test
  void O2_aReleaseOfAHoldThatEndedInBetweenLeavesTheSuccessor() {
    client.acquire("n", a);
    disturbed.beforeFlush(CHANGE, () -> {
      other.backend.forceRelease("n");
      other.acquire("n", b);
    });
    assertThat(client.release("n", a)).isFalse();
    assertThat(other.release("n", b)).isTrue();
  }

  @Test
  void N3_aRenewalOfAHoldThatEndedInBetweenDoesNothingToTheSuccessor() {
    client.tryOnce("n", a, Duration.ofSeconds(5));
    disturbed.beforeFlush(CHANGE, () -> {
      other.backend.forceRelease("n");
      other.tryOnce("n", b, Duration.ofSeconds(5));
    });
    assertThat(renew(a)).isInstanceOf(RenewalResult.Gone.class);
    assertThat(other.backend.inspect("n").orElseThrow().remaining())
        .isLessThanOrEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void N3_aHoldThatExpiresInBetweenIsNotBroughtBack() {
    client.tryOnce("n", a, Duration.ofMillis(50));
    disturbed.beforeFlush(
        CHANGE, () -> Topologies.await(() -> other.backend.inspect("n").isEmpty()));
    assertThat(renew(a)).isInstanceOf(RenewalResult.Gone.class);
    assertThat(other.tryOnce("n", b)).isInstanceOf(Grant.class);
  }

  @Test
  void N6_aLostLockThatOthersGoOnWithDoesNotKeepTheOthersFromBeingRenewed() {
    HoldId lost = client.id();
    HoldId last = client.id();
    Duration old = Duration.ofSeconds(5);
    client.tryOnce("n", a, old);
    client.tryOnce("lost", lost, old);
    client.tryOnce("m", last, old);
    other.backend.forceRelease("lost");
    disturbed.beforeEveryChange(() -> {
      other.acquire("lost", b);
      other.release("lost", b);
    });
    List<RenewalResult> results = RenewalAnswers.collect(
        client.backend,
        List.of(
            Renewal.of("n", a, TestClient.LEASE, false),
            Renewal.of("lost", lost, TestClient.LEASE, false),
            Renewal.of("m", last, TestClient.LEASE, false)));
    assertThat(disturbed.flushes()).isEqualTo(4);
    assertThat(results.get(1)).isInstanceOf(RenewalResult.Gone.class);
    for (int i = 0; i < 3; i += 2) {
      assertThat(results.get(i)).isInstanceOf(Grant.class);
      assertThat(other.backend.inspect(i == 0 ? "n" : "m").orElseThrow().remaining())
          .isGreaterThan(Duration.ofSeconds(20));
    }
  }

  @Test
  void M2_aForcedReleaseTakesOnlyTheHoldThatItSaw() {
    other.acquire("n", b);
    HoldId next = other.id();
    disturbed.beforeFlush(CHANGE, () -> {
      other.release("n", b);
      other.acquire("n", next);
    });
    assertThat(client.backend.forceRelease("n")).isTrue(); // it looked again
    assertThat(disturbed.flushes()).isEqualTo(4);
    assertThat(other.release("n", next)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void E1_anAttemptWhoseReplyWasLostIsTheSameHoldWhenItIsRepeated(int flush) {
    disturbed.fail(flush, Fault.REPLY_LOST);
    assertThatThrownBy(() -> client.tryOnce("n", a)).isInstanceOf(OutcomeUnknownException.class);
    disturbed.calm();
    boolean held = other.backend.inspect("n").isPresent();
    assertThat(held).isEqualTo(flush == CHANGE);
    long before = held ? other.backend.inspect("n").orElseThrow().fencingToken() : 0;
    long token = client.acquire("n", a);
    assertThat(token).isGreaterThanOrEqualTo(before);
    assertThat(other.backend.inspect("n").orElseThrow().fencingToken()).isEqualTo(token);
    assertThat(held && token != before).isFalse();
  }

  @ParameterizedTest
  @EnumSource(names = {"REQUEST_LOST", "REPLY_LOST", "LATE"})
  void E2_aReleaseWhoseRoundTripIsDisturbedNeverFreesASuccessor(Fault fault) {
    client.acquire("n", a);
    disturbed.fail(CHANGE, fault);
    assertThatThrownBy(() -> client.release("n", a)).isInstanceOf(OutcomeUnknownException.class);
    disturbed.calm();
    boolean freed = fault == Fault.REPLY_LOST;
    assertThat(client.release("n", a)).isEqualTo(!freed);
    other.acquire("n", b);
    disturbed.deliverLate();
    assertThat(other.release("n", b)).isTrue();
  }

  @Test
  void E6_aGrantThatRunsAfterItWasAbandonedDoesNotHappen() {
    disturbed.fail(CHANGE, Fault.LATE);
    assertThatThrownBy(() -> client.tryOnce("n", a)).isInstanceOf(OutcomeUnknownException.class);
    disturbed.calm();
    client.backend.abandon("n", a);
    disturbed.deliverLate();
    assertThat(other.backend.inspect("n")).isEmpty();
    assertThat(server.command("EXISTS", BackendContract.key("n"))).isEqualTo("0");
  }

  @Test
  void E6_aGrantThatRunsBeforeItIsAbandonedIsRemoved() {
    disturbed.fail(CHANGE, Fault.LATE);
    assertThatThrownBy(() -> client.tryOnce("n", a)).isInstanceOf(OutcomeUnknownException.class);
    disturbed.calm();
    disturbed.deliverLate();
    assertThat(other.tryOnce("n", b)).isInstanceOf(Busy.class);
    client.backend.abandon("n", a);
    assertThat(other.tryOnce("n", b)).isInstanceOf(Grant.class);
  }

  @Test
  void E6_aGrantThatRunsLateNeverLastsLongerThanOneLeaseAfterItsLook() {
    disturbed.fail(CHANGE, Fault.LATE);
    assertThatThrownBy(() -> client.tryOnce("n", a, Duration.ofMillis(200)))
        .isInstanceOf(OutcomeUnknownException.class);
    long start = System.nanoTime();
    Topologies.await(() -> System.nanoTime() - start > Duration.ofMillis(250).toNanos());
    disturbed.deliverLate();
    assertThat(other.tryOnce("n", b)).isInstanceOf(Grant.class);
  }

  /** Whether it was noted is seen by what a grant to the same id sends: the note's removal. */
  @Test
  void M4_anAttemptWhoseAbandonmentFailedIsForgottenByTheClient() {
    other.acquire("n", b);
    client.tryPatiently("n", a);
    disturbed.fail(1, Fault.REPLY_LOST);
    assertThatThrownBy(() -> client.backend.abandon("n", a))
        .isInstanceOf(OutcomeUnknownException.class);
    disturbed.calm();
    other.release("n", b);
    server.command("CONFIG", "RESETSTAT");
    client.acquire("n", a);
    assertThat(server.command("INFO", "commandstats")).doesNotContain("cmdstat_zrem");
  }

  @Test
  void aRenewalThatRunsLateDoesNotShortenALaterOne() {
    client.tryOnce("n", a, Duration.ofSeconds(5));
    disturbed.fail(CHANGE, Fault.LATE);
    assertThatThrownBy(() -> renew(a)).isInstanceOf(OutcomeUnknownException.class);
    disturbed.calm();
    RenewalAnswers.collect(
        client.backend, List.of(Renewal.of("n", a, Duration.ofSeconds(90), false)));
    disturbed.deliverLate();
    assertThat(other.backend.inspect("n").orElseThrow().remaining())
        .isGreaterThan(Duration.ofSeconds(80));
  }

  @Test
  void noStepLeavesAWatchOnTheConnection() {
    other.acquire("held", b);
    client.tryOnce("held", a);
    expectNoWatch("held");
    client.tryPatiently("held", a);
    expectNoWatch("held");
    client.release("held", a);
    expectNoWatch("held");
    renew("held", a);
    expectNoWatch("held");
    client.backend.abandon("held", a);
    expectNoWatch("held");
    client.backend.forceRelease("free");
    expectNoWatch("free");
    client.acquire("mine", a);
    expectNoWatch("mine");
    client.tryOnce("mine", a);
    expectNoWatch("mine");
    client.tryOnce("mine", a, Duration.ofMinutes(2));
    expectNoWatch("mine");
    renew("mine", a);
    expectNoWatch("mine");
    client.release("mine", a);
    expectNoWatch("mine");
  }

  @Test
  void E4_aServerThatIsLoadingIsUnavailableAndTheConnectionThatWatchesIsNotKept() {
    disturbed.fail(1, Fault.LOADING);
    assertThatThrownBy(() -> client.tryOnce("n", a))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("LOADING");
    assertThat(disturbed.pooled()).isZero();
    disturbed.calm();
    assertThat(client.tryOnce("n", a)).isInstanceOf(Grant.class);
  }

  @Test
  void aKeyOfAnotherTypeLeavesNoConnectionThatWatchesIt() {
    server.command("HSET", BackendContract.key("n"), "f", "v");
    assertThatThrownBy(() -> client.tryOnce("n", a)).hasMessageContaining("WRONGTYPE");
    assertThat(disturbed.pooled()).isZero();
  }

  /** A watch would keep the next transaction of the same connection from being run. */
  private void expectNoWatch(String name) {
    String key = BackendContract.key(name);
    if (server.command("PEXPIRE", key, "60000").equals("0")) {
      server.command("SET", key, "touched");
      server.command("DEL", key);
    }
    assertThat(disturbed.runsATransaction()).as(name).isTrue();
  }

  private RenewalResult renew(HoldId id) {
    return renew("n", id);
  }

  private RenewalResult renew(String name, HoldId id) {
    Renewal renewal = Renewal.of(name, id, TestClient.LEASE, false);
    return RenewalAnswers.collect(client.backend, List.of(renewal)).get(0);
  }

  private static String inBucketOf(String name) {
    int bucket = KeyLayout.bucket(name.getBytes(StandardCharsets.UTF_8));
    for (int i = 0; true; i++) {
      String candidate = "other-" + i;
      if (KeyLayout.bucket(candidate.getBytes(StandardCharsets.UTF_8)) == bucket) {
        return candidate;
      }
    }
  }
}
