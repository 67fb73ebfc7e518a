package dev.interlock.redis.support.jedis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.testservers.RedisSentinels;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What counts as a hold that replicas have. */
@Timeout(60)
class ReplicaWaitTest {
  private static final KeyLayout LAYOUT = new KeyLayout("t");
  private static final HoldId ID = new HoldId(1, 2);
  private static final AttemptResult GRANTED = Grant.of("n", ID, 7, Duration.ofSeconds(30));

  private static RedisServer master;
  private static RedisServer replica;

  private final LockConfig config = LockConfig.builder("redis-setnx")
      .set(JedisOptions.HOSTS, List.of(HostPort.of(master.host(), master.port())))
      .set(JedisOptions.REPLICAS, 1)
      .build();
  private final Servers servers = Servers.open(config, new ClientId("00000000000000aa", "host"));
  private final LockBackend backend = ReplicaWait.before(granting(), config, servers, LAYOUT);

  @BeforeAll
  static void start() {
    master = TestRedis.builder().owned().config("repl-diskless-sync-delay", "0").start();
    replica = TestRedis.builder()
        .owned()
        .config("replicaof", master.host(), Integer.toString(master.port()))
        .start();
    RedisSentinels.awaitReplicas(master, 1);
  }

  @AfterAll
  static void stop() {
    replica.close();
    master.close();
  }

  @AfterEach
  void close() {
    servers.close();
    master.command("FLUSHALL");
  }

  @Test
  void aHoldThatTheServerHasCounts() {
    hold(ID);
    assertThat(attempt()).isEqualTo(GRANTED);
  }

  @Test
  void aHoldThatEndedMeanwhileIsNoneThoughReplicasAnswer() {
    assertThatThrownBy(this::attempt)
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("it ended before that");
  }

  @Test
  void aLockThatAnotherHasMeanwhileIsNotOursAndStaysAsItIs() {
    hold(new HoldId(1, 3));
    assertThatThrownBy(this::attempt).hasMessageContaining("it ended before that");
    assertThat(master.command("GET", key())).startsWith(new HoldId(1, 3).toString());
    assertThat(Long.parseLong(master.command("PTTL", key()))).isGreaterThan(20_000);
  }

  @Test
  void theConnectionIsLentAgainWithItsOwnPatience() {
    hold(ID);
    attempt();
    Connections connections = servers.of(LAYOUT.keys("n")).server().connections();
    var connection = connections.borrow(Connections.Use.ATTEMPT);
    assertThat(connection.getSoTimeout()).isEqualTo(2_000);
    connections.giveBack(Connections.Use.ATTEMPT, connection, true);
  }

  private AttemptResult attempt() {
    Duration lease = Duration.ofSeconds(30);
    return backend.attempt(Attempt.of("n", ID, "owner", lease).withPatience(lease));
  }

  private static void hold(HoldId id) {
    byte[] value = new LockValue(id, 7, 1, Instant.EPOCH, "owner", "host").encode();
    master.command("SET", key(), new String(value, UTF_8), "PX", "30000");
  }

  private static String key() {
    return new String(LAYOUT.keys("n").lock(), UTF_8);
  }

  /** A backend that believes that it has granted the lock. */
  private static LockBackend granting() {
    return (LockBackend) Proxy.newProxyInstance(
        LockBackend.class.getClassLoader(),
        new Class<?>[] {LockBackend.class},
        (proxy, method, arguments) -> method.getName().equals("attempt") ? GRANTED : null);
  }
}
