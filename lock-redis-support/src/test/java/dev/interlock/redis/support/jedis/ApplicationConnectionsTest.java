package dev.interlock.redis.support.jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.redis.support.jedis.Connections.Use;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.time.Duration;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.util.Pool;

/** The pool of the application. */
@Timeout(20)
class ApplicationConnectionsTest {

  /** Has no memory for the first connections; connects nothing. */
  private static final class Factory extends BasePooledObjectFactory<Connection> {
    private int errors;

    @Override
    public Connection create() {
      if (errors-- > 0) {
        throw new OutOfMemoryError("for the test");
      }
      return new Connection("127.0.0.1", 1);
    }

    @Override
    public PooledObject<Connection> wrap(Connection connection) {
      return new DefaultPooledObject<>(connection);
    }
  }

  @Test
  void W7_anErrorOfThePoolCostsNoConnection() {
    GenericObjectPoolConfig<Connection> settings = new GenericObjectPoolConfig<>();
    settings.setMaxTotal(2);
    settings.setJmxEnabled(false);
    Factory factory = new Factory();
    try (Pool<Connection> pool = new Pool<>(settings, factory)) {
      Connections connections = new ApplicationConnections(pool, Duration.ofMillis(300));
      for (Use use : Use.values()) {
        factory.errors = 3;
        for (int i = 0; i < 3; i++) {
          assertThatThrownBy(() -> connections.borrow(use)).isInstanceOf(OutOfMemoryError.class);
        }
      }
      Connection attempting = connections.borrow(Use.ATTEMPT);
      Connection releasing = connections.borrow(Use.HOLDER);
      assertThat(releasing).isNotSameAs(attempting);
      connections.giveBack(Use.ATTEMPT, attempting, true);
      connections.giveBack(Use.HOLDER, releasing, true);
    }
  }

  /** Until then the name of the server may lead back to the same one. */
  @Test
  void W3_theListenerIsLeftOnceAnAttemptIsServedAfterACommandThatWasMisled() {
    try (RedisServer server = TestRedis.start();
        ConnectionPool pool = new ConnectionPool(
            new HostAndPort(server.host(), server.port()),
            DefaultJedisClientConfig.builder().build())) {
      Connections connections = new ApplicationConnections(pool, Duration.ofSeconds(2));
      Connection listening = connections.openListener();
      assertThat(listening.ping()).isTrue();
      connections.giveBack(Use.ATTEMPT, connections.borrow(Use.ATTEMPT), true);
      Connection misled = connections.borrow(Use.HOLDER);
      connections.misled();
      connections.giveBack(Use.HOLDER, misled, false);
      assertThat(listening.isConnected()).isTrue();
      connections.giveBack(Use.HOLDER, connections.borrow(Use.HOLDER), true);
      assertThat(listening.isConnected()).as("after what may be a read").isTrue();
      connections.giveBack(Use.ATTEMPT, connections.borrow(Use.ATTEMPT), true);
      assertThat(listening.isConnected()).isFalse();
    }
  }
}
