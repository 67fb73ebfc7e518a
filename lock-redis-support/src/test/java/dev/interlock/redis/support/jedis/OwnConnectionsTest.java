package dev.interlock.redis.support.jedis;

import static dev.interlock.redis.support.contract.TestClient.config;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.spi.ClientId;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The pool of our own. */
@Timeout(60)
class OwnConnectionsTest {
  private static final Duration SHORT = Duration.ofMillis(300);

  @Test
  void W7_attemptsNeverTakeTheLastConnectionAndAnExhaustedPoolSaysSo() throws Exception {
    try (RedisServer server = TestRedis.builder().start()) {
      OwnConnections connections = OwnConnections.open(
          config("any", server)
              .set(JedisOptions.POOL_SIZE, 2)
              .set(JedisOptions.TIMEOUT, SHORT)
              .build(),
          new ClientId("00000000000000aa", "host"));
      var attempting = connections.borrow(Connections.Use.ATTEMPT);
      assertThatThrownBy(() -> connections.borrow(Connections.Use.ATTEMPT))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("pool exhausted");
      var releasing = connections.borrow(Connections.Use.HOLDER);
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> connections.borrow(Connections.Use.HOLDER))
          .hasMessageContaining("pool exhausted");
      assertThat(Thread.interrupted()).isTrue();
      connections.giveBack(Connections.Use.ATTEMPT, attempting, true);
      connections.giveBack(Connections.Use.HOLDER, releasing, true);
      connections.close();
      assertThat(releasing.isConnected()).isFalse();
    }
  }

  @Test
  void aConnectionWithAFaultIsNeverUsedAgain() {
    try (RedisServer server = TestRedis.start()) {
      OwnConnections connections = OwnConnections.open(
          config("any", server).build(), new ClientId("00000000000000aa", "host"));
      var first = connections.borrow(Connections.Use.HOLDER);
      connections.giveBack(Connections.Use.HOLDER, first, false);
      assertThat(first.isConnected()).isFalse();
      var second = connections.borrow(Connections.Use.HOLDER);
      assertThat(second).isNotSameAs(first);
      connections.giveBack(Connections.Use.HOLDER, second, true);
      assertThat(connections.borrow(Connections.Use.HOLDER)).isSameAs(second);
      connections.close();
    }
  }
}
