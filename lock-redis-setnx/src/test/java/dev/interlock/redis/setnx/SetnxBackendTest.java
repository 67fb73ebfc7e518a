package dev.interlock.redis.setnx;

import static dev.interlock.redis.support.contract.TestClient.LEASE;
import static dev.interlock.redis.support.contract.TestClient.PATIENT;
import static dev.interlock.redis.support.contract.TestClient.attempt;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.contract.BackendContract;
import dev.interlock.redis.support.contract.TestClient;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the scripts do beyond the contract. */
@Timeout(60)
class SetnxBackendTest extends BackendContract {
  @Override
  protected String provider() {
    return RedisSetnxProvider.ID;
  }

  @Override
  protected String counterKey(String name) {
    byte[] key = new KeyLayout(TestClient.NAMESPACE).keys(name).token();
    return new String(key, StandardCharsets.UTF_8);
  }

  @Override
  protected void setLastToken(String name, long token) {
    server.command("SET", counterKey(name), Long.toString(token));
  }

  @Test
  void E4_everyScriptIsLoadedAgainAfterTheServerForgotIt() {
    flushScripts();
    client.acquire("n", a);
    flushScripts();
    client.tryPatiently("n", b);
    flushScripts();
    assertThat(client.backend.inspect("n")).isPresent();
    flushScripts();
    assertThat(client.pass("n", a, b).granted()).isNotNull();
    flushScripts();
    assertThat(client.release("n", b)).isTrue();
    client.acquire("n", a);
    flushScripts();
    client.backend.abandon("n", a);
    client.acquire("n", a);
    flushScripts();
    assertThat(RenewalAnswers.collect(client.backend, List.of(Renewal.of("n", a, LEASE, false))))
        .doesNotContain(RenewalResult.gone());
    flushScripts();
    assertThat(client.backend.forceRelease("n")).isTrue();
  }

  @Test
  void aPassGrantsTheNextWaiterOfTheSameClientInTheSameStep() {
    long first = client.acquire("n", a);
    var result = client.pass("n", a, b);
    assertThat(result.held()).isTrue();
    assertThat(result.next()).isNull();
    assertThat(result.granted().id()).isEqualTo(b);
    assertThat(result.granted().fencingToken()).isGreaterThan(first);
    assertThat(result.granted().lease()).isEqualTo(LEASE);
    assertThat(client.tryOnce("n", b)).isEqualTo(result.granted());
  }

  @Test
  void aPassFindsTheNextWaiterAmongThoseThatWereNoted() {
    client.acquire("n", a);
    client.tryPatiently("n", b);
    assertThat(client.pass("n", a, b).granted().id()).isEqualTo(b);
    assertThat(client.backend.inspect("n").orElseThrow().waiters()).isZero();
    assertThat(client.events).isEmpty();
  }

  @Test
  void E2_aRepeatedPassChangesNothingAndTheNextWaiterFindsItsGrant() {
    client.acquire("n", a);
    long token = client.pass("n", a, b).granted().fencingToken();
    assertThat(client.pass("n", a, b)).isEqualTo(ReleaseResult.notHeld());
    assertThat(client.tryOnce("n", b)).isEqualTo(Grant.of("n", b, token, LEASE));
    client.release("n", b);
    assertThat(client.pass("n", a, b).held()).isFalse();
    assertThat(client.backend.inspect("n")).isEmpty();
  }

  @Test
  void aPassOfAHoldThatIsGoneDoesNothingForTheNextWaiter() {
    client.acquire("n", client.id());
    var result = client.pass("n", a, b);
    assertThat(result.held()).isFalse();
    assertThat(result.granted()).isNull();
    assertThat(result.next()).isNull();
    assertThat(client.backend.inspect("n").orElseThrow().waiters()).isZero();
  }

  @Test
  void M1_anAttemptThatDoesNotWaitIsNotNotedBesideOneThatDoes() {
    client.acquire("n", a);
    client.tryPatiently("n", b);
    for (int i = 0; i < 10; i++) {
      client.tryOnce("n", client.id()); // one token: try.lua
      client.backend.attempt(attempt("n", client.id(), LEASE, Duration.ZERO, 2)); // acquire.lua
    }
    assertThat(client.backend.inspect("n").orElseThrow().waiters()).isEqualTo(1);
    HoldId next = client.id();
    var passed = HandOffBackend.release(
        client.backend, Release.of("n", a).withNext(attempt("n", next, LEASE, Duration.ZERO, 1)));
    assertThat(passed.granted()).isNull();
    assertThat(server.command("ZCARD", waitingKey("n"))).isEqualTo("0");
  }

  private static String waitingKey(String name) {
    byte[] key = new KeyLayout(TestClient.NAMESPACE).keys(name).waiting();
    return new String(key, StandardCharsets.UTF_8);
  }

  @Test
  void nothingIsPublishedWhileNobodyWaits() {
    server.command("CONFIG", "RESETSTAT");
    client.acquire("n", a);
    client.release("n", a);
    client.acquire("n", a);
    client.pass("n", a, b);
    client.backend.abandon("n", b);
    assertThat(server.command("INFO", "commandstats")).doesNotContain("cmdstat_publish");
  }

  @Test
  void anUncontendedSectionIsTwoCommandsOfTheClient() {
    client.acquire("n", a);
    client.release("n", a);
    server.command("CONFIG", "RESETSTAT");
    client.backend.attempt(attempt("n", b, LEASE, PATIENT, 1));
    client.release("n", b);
    assertThat(server.command("INFO", "commandstats")).contains("cmdstat_evalsha:calls=2,");
  }

  private static void flushScripts() {
    server.command("SCRIPT", "FLUSH");
  }
}
