package dev.interlock.redis.support.jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.redis.support.contract.FakeRedis;
import dev.interlock.redis.support.contract.Topologies;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** A connection that listens, and is closed by one thread while another one asks for a sign. */
@Timeout(60)
class JedisMailboxLinkTest {
  @Test
  void P2_onceClosedItDoesNotConnectAgain() throws Exception {
    try (FakeRedis redis = new FakeRedis(words -> "+PONG\r\n")) {
      HostAndPort address = new HostAndPort("127.0.0.1", redis.host().port().orElseThrow());
      Connection connection = new Connection(address);
      try (JedisMailboxLink link = new JedisMailboxLink(connection)) {
        connection.connect();
        link.ping();
        Topologies.await(() -> redis.connections() == 1);
        link.close();
        assertThatThrownBy(link::ping).isInstanceOf(JedisConnectionException.class);
        Topologies.await(() -> redis.connections() == 0);
        assertThat(connection.isConnected()).isFalse();
      }
    }
  }
}
