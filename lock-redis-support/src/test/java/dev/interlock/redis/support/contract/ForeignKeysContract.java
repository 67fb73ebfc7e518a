package dev.interlock.redis.support.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockException;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
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

/** Other software has put something else at one of a lock's keys. */
@Timeout(60)
public abstract class ForeignKeysContract {
  private static RedisServer server;

  private final LockKeys keys = new KeyLayout(TestClient.NAMESPACE).keys("n");
  private final String waiting = new String(keys.waiting(), UTF_8);
  private TestClient client;
  private HoldId a;

  /** The provider's id. */
  protected abstract String provider();

  /** The key of the counter from which the lock's tokens come. */
  protected abstract byte[] counter(LockKeys keys);

  @BeforeAll
  static void start() {
    server = TestRedis.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void open() {
    server.command("FLUSHALL");
    client = TestClient.deaf(TestClient.config(provider(), server).build());
    a = client.id();
  }

  @AfterEach
  void close() {
    client.close();
  }

  @Test
  void X3_withoutACounterNobodyGetsTheLockAndNobodyIsSaidToHaveIt() {
    String counter = new String(counter(keys), UTF_8);
    server.command("RPUSH", counter, "not a counter");
    expectRefused();
    server.command("DEL", counter);
    server.command("SET", counter, "no number");
    expectRefused();
    assertThat(server.command("GET", counter)).isEqualTo("no number");
    server.command("DEL", counter);
    assertThat(client.tryOnce("n", a)).isInstanceOf(Grant.class);
  }

  private void expectRefused() {
    for (int tokens = 1; tokens <= 2; tokens++) {
      for (int i = 0; i < 2; i++) {
        int some = tokens;
        assertThatThrownBy(() -> client.backend.attempt(
                TestClient.attempt("n", client.id(), TestClient.LEASE, Duration.ZERO, some)))
            .isInstanceOf(LockException.class)
            .hasMessageContaining("WRONGTYPE");
        assertThat(server.command("EXISTS", BackendContract.key("n"))).isEqualTo("0");
      }
    }
  }

  @Test
  void E9_aReleaseWithoutACounterIsDoneThoughTheNextWaiterGetsNothing() {
    client.acquire("n", a);
    String counter = new String(counter(keys), UTF_8);
    server.command("DEL", counter);
    server.command("RPUSH", counter, "not a counter");
    assertThat(client.pass("n", a, client.id()).held()).isTrue();
    assertThat(client.backend.inspect("n")).isEmpty();
  }

  @Test
  void E9_somethingElseInPlaceOfTheWaitersKeepsNoLockFromBeingFreed() {
    client.acquire("n", a);
    server.command("SET", waiting, "no waiters");
    assertThat(client.release("n", a)).isTrue();
    assertThat(client.release("n", a)).isFalse();

    assertThat(client.tryOnce("n", a)).isInstanceOf(Grant.class);
    client.backend.abandon("n", a);
    client.backend.abandon("n", a);
    assertThat(client.backend.inspect("n")).isEmpty();

    HoldId next = client.id();
    assertThat(
            client.backend.attempt(TestClient.attempt("n", a, TestClient.LEASE, Duration.ZERO, 2)))
        .isInstanceOf(Grant.class);
    assertThat(client.pass("n", a, next).held()).isTrue();
    assertThat(server.command("GET", waiting)).isEqualTo("no waiters");
  }

  @Test
  void M2_aForcedReleaseRemovesWhatIsInPlaceOfTheWaiters() {
    client.acquire("n", a);
    server.command("SET", waiting, "no waiters");
    assertThat(client.backend.forceRelease("n")).isTrue();
    assertThat(client.backend.inspect("n")).isEmpty();
    assertThat(server.command("EXISTS", waiting)).isEqualTo("0");
    client.acquire("n", a);
    client.tryPatiently("n", client.id());
    assertThat(client.backend.inspect("n").orElseThrow().waiters()).isEqualTo(1);
  }
}
