package dev.interlock.redis.support.contract;

import static dev.interlock.redis.support.contract.TestClient.LEASE;
import static dev.interlock.redis.support.contract.TestClient.attempt;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.HoldInfo;
import dev.interlock.redis.support.KeyLayout;
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
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One client and one server: what each step does, once, twice and too late. */
@Timeout(60)
public abstract class BackendContract {
  protected static RedisServer server;

  protected TestClient client;
  protected HoldId a;
  protected HoldId b;

  /** The provider's id. */
  protected abstract String provider();

  /** The key that keeps the last token of the lock's bucket. */
  protected abstract String counterKey(String name);

  /** Changes what {@link #counterKey} says. */
  protected abstract void setLastToken(String name, long token);

  @BeforeAll
  static void startServer() {
    server = TestRedis.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @BeforeEach
  void openClient() throws InterruptedException {
    server.command("FLUSHALL");
    client = TestClient.open(provider(), server);
    a = client.id();
    b = client.id();
  }

  @AfterEach
  void closeClient() {
    client.close();
  }

  @Test
  void X1_aHeldLockIsNotGrantedToAnother() {
    assertThat(client.tryOnce("n", a)).isInstanceOf(Grant.class);
    assertThat(client.tryOnce("n", b)).isInstanceOf(Busy.class);
    assertThat(client.tryPatiently("n", b)).isInstanceOf(Busy.class);
  }

  @Test
  void L6_anExpiredLeaseFreesTheLockAndTheHintSaysWhen() throws InterruptedException {
    // Longer than this JVM may stand still between two calls, and less than a hint's limit.
    client.tryOnce("n", a, Duration.ofMillis(1_500));
    Busy busy = (Busy) client.tryOnce("n", b);
    assertThat(busy.recheck()).isBetween(Duration.ofMillis(1), Duration.ofMillis(1_501));

    TimeUnit.NANOSECONDS.sleep(busy.recheck().toNanos());

    assertThat(client.tryOnce("n", b)).isInstanceOf(Grant.class);
  }

  @Test
  void theHintIsNeverLaterThanThreeSeconds() {
    client.acquire("n", a);
    assertThat(((Busy) client.tryPatiently("n", b)).recheck()).isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void L4_theServerNeverEndsALeaseBeforeTheClientDoes() {
    long start = System.nanoTime();
    client.tryOnce("n", a, Duration.ofNanos(5_000_000_001L));
    long left = ttl("n");
    long passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    assertThat(left).isBetween(5_000L - passed - 1, 5_001L);
    client.tryOnce("m", a, Duration.ofMillis(2_500).plusNanos(1));
    server.command("PERSIST", key("m"));
    assertThat(ttl("m")).isEqualTo(-1);
  }

  @Test
  void E1_aRepeatedAttemptIsTheSameHoldWithTheSameToken() {
    long token = client.acquire("n", a);
    assertThat(client.tryOnce("n", a)).isEqualTo(Grant.of("n", a, token, LEASE));
    assertThat(client.tryPatiently("n", a)).isEqualTo(Grant.of("n", a, token, LEASE));
    assertThat(client.release("n", a)).isTrue();
    assertThat(client.backend.inspect("n")).isEmpty();
  }

  @Test
  void aRepeatedAttemptNeverShortensTheLeaseAndMayMakeItLonger() {
    client.tryOnce("n", a, Duration.ofSeconds(30));
    client.tryOnce("n", a, Duration.ofSeconds(1));
    assertThat(ttl("n")).isGreaterThan(20_000);
    client.tryOnce("n", a, Duration.ofSeconds(60));
    assertThat(ttl("n")).isGreaterThan(50_000);
  }

  @Test
  void W8_anAttemptThatDoesNotWaitLeavesNothing() {
    client.acquire("n", a);
    client.tryOnce("n", b);
    assertThat(keys("*")).containsExactlyInAnyOrder(key("n"), counterKey("n"));
  }

  @Test
  void E1_aWaiterIsNotedOnceHoweverOftenItLooksAgain() {
    client.acquire("n", a);
    client.tryPatiently("n", b);
    client.tryPatiently("n", b);
    client.tryPatiently("n", b);
    assertThat(client.backend.inspect("n").orElseThrow().waiters()).isEqualTo(1);
    assertThat(server.command("ZCARD", key("n").replace(":lock:", ":wait:"))).isEqualTo("1");
  }

  @Test
  void aNoteIsGoneOnceItsWaiterHasTheLock() {
    client.acquire("n", a);
    client.tryPatiently("n", b);
    server.command("DEL", key("n"));
    assertThat(client.tryPatiently("n", b)).isInstanceOf(Grant.class);
    assertThat(keys("*")).containsExactlyInAnyOrder(key("n"), counterKey("n"));
  }

  @Test
  void W2_notesExpireWithTheirWaiters() {
    client.acquire("n", a);
    client.backend.attempt(attempt("n", b, LEASE, Duration.ofMillis(50), 1));
    client.tryPatiently("n", client.id());
    Topologies.await(() -> client.backend.inspect("n").orElseThrow().waiters() == 1);
    client.tryPatiently("n", client.id());
    assertThat(server.command("ZCARD", key("n").replace(":lock:", ":wait:"))).isEqualTo("2");
    for (String kind : List.of(":wait:", ":due:")) {
      long ttl = Long.parseLong(server.command("PTTL", key("n").replace(":lock:", kind)));
      assertThat(ttl).isBetween(1L, 10_000L);
    }
  }

  @Test
  void T1_tokensGrowFromHoldToHoldAndAreTheServersTime() {
    long before = serverMicros();
    long last = 0;
    for (int i = 0; i < 50; i++) {
      HoldId id = client.id();
      long token = client.acquire("n", id);
      assertThat(token).isGreaterThan(last);
      last = token;
      client.release("n", id);
    }
    assertThat(last).isBetween(before, serverMicros());
  }

  @Test
  void T1_aBlockOfTokensIsReservedWhole() {
    Grant block = (Grant) client.backend.attempt(attempt("n", a, LEASE, Duration.ZERO, 1_000_000));
    assertThat(block.tokens()).isEqualTo(1_000_000);
    assertThat(client.backend.attempt(attempt("n", a, LEASE, Duration.ZERO, 7))).isEqualTo(block);
    client.release("n", a);
    assertThat(client.acquire("n", b)).isEqualTo(block.fencingToken() + 1_000_000);
    assertThat(client.tryOnce("n", b))
        .isEqualTo(Grant.of("n", b, block.fencingToken() + 1_000_000, LEASE));
  }

  @Test
  void T2_tokensGrowOnWhenTheCounterIsLostOrOlder() {
    long first = client.acquire("n", a);
    server.command("FLUSHALL");
    long second = client.acquire("n", b);
    assertThat(second).isGreaterThan(first);
    client.release("n", b);
    setLastToken("n", 5);
    assertThat(client.acquire("n", a)).isGreaterThan(second);
  }

  @Test
  void T2_tokensGrowOnWhenTheServersClockWasSetBack() {
    client.acquire("n", a);
    client.release("n", a);
    long hourAhead = serverMicros() + 3_600_000_000L;
    setLastToken("n", hourAhead);
    assertThat(client.acquire("n", a)).isEqualTo(hourAhead + 1);
    assertThat(client.backend.inspect("n").orElseThrow().fencingToken()).isEqualTo(hourAhead + 1);
    client.release("n", a);
    assertThat(client.acquire("n", b)).isEqualTo(hourAhead + 2);
  }

  @Test
  void O1_onlyTheHolderReleases() {
    client.acquire("n", a);
    assertThat(client.release("n", b)).isFalse();
    assertThat(client.tryOnce("n", b)).isInstanceOf(Busy.class);
    assertThat(client.release("n", a)).isTrue();
    assertThat(client.release("n", a)).isFalse();
  }

  @Test
  void O2_E2_aReleaseThatIsRepeatedOrLateNeverFreesASuccessor() {
    client.acquire("n", a);
    client.release("n", a);
    client.acquire("n", b);
    assertThat(client.release("n", a)).isFalse();
    client.backend.abandon("n", a);
    assertThat(RenewalAnswers.collect(client.backend, List.of(Renewal.of("n", a, LEASE, false))))
        .containsExactly(RenewalResult.gone());
    assertThat(client.tryOnce("n", client.id())).isInstanceOf(Busy.class);
    assertThat(client.release("n", b)).isTrue();
  }

  @Test
  void N1_aRenewalMakesALeaseLongerAndNeverShorter() {
    long token = client.acquire("n", a);
    assertThat(renew("n", a, Duration.ofSeconds(90)))
        .isEqualTo(Grant.of("n", a, token, Duration.ofSeconds(90)));
    assertThat(ttl("n")).isGreaterThan(80_000);
    assertThat(renew("n", a, Duration.ofSeconds(1)))
        .isEqualTo(Grant.of("n", a, token, Duration.ofSeconds(1)));
    assertThat(ttl("n")).isGreaterThan(80_000);
  }

  @Test
  void N3_aRenewalNeverBringsBackAHoldThatIsGone() {
    assertThat(renew("n", a, LEASE)).isEqualTo(RenewalResult.gone());
    client.tryOnce("n", a, Duration.ofMillis(10));
    Topologies.await(() -> ttl("n") < 0);
    assertThat(renew("n", a, LEASE)).isEqualTo(RenewalResult.gone());
    assertThat(client.backend.inspect("n")).isEmpty();
  }

  @Test
  void N6_aBatchIsRenewedInOrder() {
    List<Renewal> batch = new ArrayList<>();
    for (int i = 0; i < 256; i++) {
      HoldId id = client.id();
      if (i % 2 == 0) {
        client.acquire("n" + i, id);
      }
      batch.add(Renewal.of("n" + i, id, Duration.ofSeconds(90), false));
    }
    List<RenewalResult> results = RenewalAnswers.collect(client.backend, batch);
    assertThat(results).hasSize(256);
    for (int i = 0; i < 256; i++) {
      assertThat(results.get(i) instanceof Grant).isEqualTo(i % 2 == 0);
    }
    assertThat(ttl("n254")).isGreaterThan(80_000);
  }

  @Test
  void M1_inspectTellsEverythingAndSaysFreeWhenFree() {
    assertThat(client.backend.inspect("n")).isEmpty();
    Attempt attempt = Attempt.of("n", a, "größe 7 \uD83D\uDD12", LEASE).withSharedOwner(true);
    long token = ((Grant) client.backend.attempt(attempt)).fencingToken();
    client.tryPatiently("n", b);

    HoldInfo info = client.backend.inspect("n").orElseThrow();

    assertThat(info.name()).isEqualTo("n");
    assertThat(info.owner()).isEqualTo("größe 7 \uD83D\uDD12");
    assertThat(info.host()).isEqualTo("host-a:42");
    assertThat(info.since())
        .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(60));
    assertThat(info.remaining()).isBetween(Duration.ofSeconds(20), LEASE);
    assertThat(info.fencingToken()).isEqualTo(token);
    assertThat(info.waiters()).isEqualTo(1);
    client.release("n", a);
    assertThat(client.backend.inspect("n")).isEmpty();
  }

  @Test
  void aKeyOfOtherSoftwareIsRespectedAndReported() {
    server.command("SET", key("n"), "something else");
    assertThat(client.tryOnce("n", a)).isInstanceOf(Busy.class);
    assertThat(((Busy) client.tryPatiently("n", a)).recheck()).isEqualTo(Duration.ofSeconds(3));
    HoldInfo info = client.backend.inspect("n").orElseThrow();
    assertThat(info.owner()).contains("other software");
    assertThat(info.remaining()).isGreaterThan(Duration.ofDays(1000));
    assertThat(client.release("n", a)).isFalse();
    assertThat(client.backend.forceRelease("n")).isTrue();
    assertThat(client.tryOnce("n", a)).isInstanceOf(Grant.class);
  }

  @Test
  void E9_aLockThatCannotBeReadIsToldFromTheOthersOfItsBatch() {
    List<Renewal> batch = new ArrayList<>();
    for (String name : List.of("before", "n", "after")) {
      HoldId id = client.id();
      client.acquire(name, id);
      batch.add(Renewal.of(name, id, Duration.ofSeconds(90), false));
    }
    server.command("DEL", key("n"));
    server.command("RPUSH", key("n"), "not a lock");

    assertThat(RenewalAnswers.collect(client.backend, batch))
        .satisfiesExactly(
            before -> assertThat(before).isInstanceOf(Grant.class),
            failed -> assertThat(failed)
                .isInstanceOfSatisfying(
                    RenewalResult.Failed.class,
                    why -> assertThat(why.error()).hasMessageContaining("namespace")),
            after -> assertThat(after).isInstanceOf(Grant.class));

    assertThat(ttl("before")).isGreaterThan(80_000);
    assertThat(client.backend.forceRelease("n")).isTrue();
    assertThat(client.tryOnce("n", a)).isInstanceOf(Grant.class);
  }

  @Test
  void W6_abandonRemovesAHoldAndANote() {
    client.acquire("n", a);
    client.tryPatiently("n", b);
    client.backend.abandon("n", b);
    assertThat(client.backend.inspect("n").orElseThrow().waiters()).isZero();
    client.backend.abandon("n", a);
    client.backend.abandon("n", a);
    assertThat(keys("*")).containsExactly(counterKey("n"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plain",
        "{",
        "}",
        "{x}",
        "}:lock:",
        "{t:1}:lock:a",
        "a b\n",
        "%d(.-)",
        "*",
        "größe",
        "\uD83D\uDD12"
      })
  void X4_anyNameWorksFromTheGrantToTheWakeUp(String name) throws InterruptedException {
    long token = client.acquire(name, a);
    client.tryPatiently(name, b);
    assertThat(client.backend.inspect(name).orElseThrow().fencingToken()).isEqualTo(token);
    assertThat(client.release(name, a)).isTrue();
    assertThat(client.event()).isEqualTo("wake " + name + " " + b);
    client.acquire(name, a);
    assertThat(client.backend.forceRelease(name)).isTrue();
    assertThat(client.event()).isEqualTo("revoked " + name + " " + a);
  }

  @Test
  void M3_manyNamesLeaveNoMoreKeysThanThereAreBuckets() {
    for (int i = 0; i < 2_000; i++) {
      HoldId id = client.id();
      client.acquire("once-" + i, id);
      client.release("once-" + i, id);
    }
    assertThat(Long.parseLong(server.command("DBSIZE"))).isLessThanOrEqualTo(KeyLayout.BUCKETS);
  }

  @Test
  void theServerIsNamed() {
    assertThat(client.backend.server()).matches("(Redis|Valkey) \\d+\\.\\d+\\.\\d+.*");
  }

  protected RenewalResult renew(String name, HoldId id, Duration lease) {
    return RenewalAnswers.collect(client.backend, List.of(Renewal.of(name, id, lease, false)))
        .get(0);
  }

  public static String key(String name) {
    return new String(
        new KeyLayout(TestClient.NAMESPACE).keys(name).lock(), StandardCharsets.UTF_8);
  }

  protected static long ttl(String name) {
    return Long.parseLong(server.command("PTTL", key(name)));
  }

  protected static List<String> keys(String pattern) {
    return server.command("KEYS", pattern).lines().toList();
  }

  private static long serverMicros() {
    List<String> time = server.command("TIME").lines().toList();
    return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
  }
}
