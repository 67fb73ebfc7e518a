package dev.interlock.redis.support.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.spi.AttemptResult.Busy;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several clients: who is called when a lock is freed. */
@Timeout(60)
public abstract class HandOverContract {
  protected static RedisServer server;

  protected TestClient one;
  protected TestClient two;
  protected HoldId a;
  protected HoldId b;
  protected HoldId c;

  /** The provider's id. */
  protected abstract String provider();

  @BeforeAll
  static void startServer() {
    server = TestRedis.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @BeforeEach
  void openClients() throws InterruptedException {
    server.command("FLUSHALL");
    one = TestClient.open(provider(), server);
    two = TestClient.open(provider(), server);
    a = one.id();
    b = two.id();
    c = one.id();
  }

  @AfterEach
  void closeClients() {
    one.close();
    two.close();
  }

  @Test
  void W3_aReleaseCallsTheFirstWaiterOnly() throws InterruptedException {
    one.acquire("n", a);
    two.tryPatiently("n", b);
    one.tryPatiently("n", c);
    one.release("n", a);
    assertThat(two.event()).isEqualTo("wake n " + b);
    assertThat(two.tryPatiently("n", b)).isInstanceOf(Grant.class);
    assertThat(one.events).isEmpty();
    two.release("n", b);
    assertThat(one.event()).isEqualTo("wake n " + c);
  }

  @Test
  void aWaiterKeepsItsPlaceWhenItLooksAgain() throws InterruptedException {
    one.acquire("n", a);
    two.tryPatiently("n", b);
    one.tryPatiently("n", c);
    two.tryPatiently("n", b);
    one.release("n", a);
    assertThat(two.event()).isEqualTo("wake n " + b);
  }

  @Test
  void W2_aClientThatDoesNotListenIsPassedOverInTheSameStep() throws InterruptedException {
    try (TestClient dead = TestClient.open(provider(), server)) {
      one.acquire("n", a);
      dead.tryPatiently("n", dead.id());
    }
    two.tryPatiently("n", b);
    one.release("n", a);
    assertThat(two.event()).isEqualTo("wake n " + b);
  }

  @Test
  void W6_anAbandonedHoldCallsTheNextWaiter() throws InterruptedException {
    one.acquire("n", a);
    two.tryPatiently("n", b);
    one.backend.abandon("n", a);
    assertThat(two.event()).isEqualTo("wake n " + b);
  }

  @Test
  void W3_aWaiterThatGivesUpPassesItsCallOn() throws InterruptedException {
    one.acquire("n", a);
    one.tryPatiently("n", c);
    two.tryPatiently("n", b);
    one.release("n", a);
    assertThat(one.event()).isEqualTo("wake n " + c);
    one.backend.abandon("n", c);
    assertThat(two.event()).isEqualTo("wake n " + b);
  }

  @Test
  void M2_aForcedReleaseTellsTheHolderAndCallsTheNextWaiter() throws InterruptedException {
    one.acquire("n", a);
    two.tryPatiently("n", b);
    assertThat(two.backend.forceRelease("n")).isTrue();
    assertThat(one.event()).isEqualTo("revoked n " + a);
    assertThat(two.event()).isEqualTo("wake n " + b);
    assertThat(two.backend.forceRelease("n")).isFalse();
  }

  @Test
  void P2_theMailboxIsOpenedAgainAfterACutAndWorks() throws InterruptedException {
    one.acquire("n", a);
    two.tryPatiently("n", b);
    server.command("CLIENT", "KILL", "TYPE", "pubsub");
    assertThat(two.event()).isEqualTo("inDoubt");
    assertThat(one.event()).isEqualTo("inDoubt");
    one.release("n", a);
    assertThat(two.event()).isEqualTo("wake n " + b);
  }

  @Test
  void W3_whileTheMailboxIsDownAWaiterLooksAgainSoon() throws InterruptedException {
    try (TestClient deaf = TestClient.deaf(TestClient.config(provider(), server).build())) {
      one.acquire("n", a);
      assertThat(((Busy) deaf.tryPatiently("n", deaf.id())).recheck())
          .isLessThanOrEqualTo(Duration.ofMillis(200));
    }
  }
}
