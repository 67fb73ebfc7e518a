package dev.interlock.redis.support.jedis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.redis.support.jedis.Connections.Use;
import dev.interlock.spi.ClientId;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What opening leaves behind. */
@Timeout(60)
class JedisBackendsTest {
  /** As where there is no memory for a thread. */
  @Test
  void E7_nothingStaysOpenAfterAnErrorEither() {
    try (RedisServer server = TestRedis.start()) {
      LockConfig config = LockConfig.builder("any")
          .set(JedisOptions.HOSTS, List.of(HostPort.of(server.host(), server.port())))
          .build();
      ClientId client = new ClientId("00000000000000aa", "host");
      Servers servers = Servers.open(config, client);
      assertThatThrownBy(() -> JedisBackends.open(config, client, servers, (settings, id, its) -> {
            throw new OutOfMemoryError("as planned");
          }))
          .hasMessage("as planned");
      Connections connections = servers.all().iterator().next().connections();
      assertThatThrownBy(() -> connections.borrow(Use.HOLDER))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("are closed");
    }
  }
}
