package dev.interlock.redis.support.jedis;

import static dev.interlock.redis.support.contract.TestClient.config;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfig;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.contract.FakeRedis;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.spi.ClientId;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;

/** The pool of our own. */
@Timeout(60)
class OwnConnectionsTest {
  private static final Duration SHORT = Duration.ofMillis(300);

  /** For what is answered, if late. */
  private static final Duration LONG = Duration.ofSeconds(20);

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
  void E7_closeEndsTheWaitForAPlaceInAnExhaustedPool() throws Exception {
    try (RedisServer server = TestRedis.start()) {
      OwnConnections connections = OwnConnections.open(
          config("any", server)
              .set(JedisOptions.POOL_SIZE, 2)
              .set(JedisOptions.TIMEOUT, Duration.ofSeconds(50))
              .build(),
          new ClientId("00000000000000aa", "host"));
      var first = connections.borrow(Connections.Use.HOLDER);
      var second = connections.borrow(Connections.Use.ATTEMPT);
      List<FutureTask<Connection>> waiting = new ArrayList<>();
      for (Connections.Use use : List.of(Connections.Use.HOLDER, Connections.Use.ATTEMPT)) {
        for (int i = 0; i < 3; i++) {
          FutureTask<Connection> task = new FutureTask<>(() -> connections.borrow(use));
          waiting.add(task);
          Thread thread = new Thread(task, "waits");
          thread.setDaemon(true);
          thread.start();
        }
      }
      Topologies.await(() -> !connections.mayKeep(first)); // somebody waits

      connections.close();

      for (FutureTask<Connection> task : waiting) {
        assertThatThrownBy(() -> task.get(10, TimeUnit.SECONDS))
            .hasCauseInstanceOf(BackendUnavailableException.class)
            .hasMessageContaining("are closed");
      }
      connections.giveBack(Connections.Use.HOLDER, first, true);
      connections.giveBack(Connections.Use.ATTEMPT, second, true);
      assertThat(first.isConnected()).isFalse();
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

  /** Else a server that stays a replica is listened to anew with each of its answers. */
  @Test
  void W3_theListenerIsLeftOnceAnAttemptIsServedOverAConnectionFromAfterTheDoubt() {
    try (RedisServer server = TestRedis.start()) {
      OwnConnections connections = OwnConnections.open(
          config("any", server).build(), new ClientId("00000000000000aa", "host"));
      Connection listening = connections.openListener();
      Connection misled = connections.borrow(Connections.Use.ATTEMPT);
      Connection older = connections.borrow(Connections.Use.ATTEMPT);
      connections.misled();
      connections.giveBack(Connections.Use.ATTEMPT, misled, false);
      connections.giveBack(Connections.Use.ATTEMPT, older, true);
      assertThat(listening.isConnected()).as("after an older connection").isTrue();
      assertThat(connections.borrow(Connections.Use.ATTEMPT)).isSameAs(older);
      Connection newer = connections.borrow(Connections.Use.HOLDER);
      connections.giveBack(Connections.Use.HOLDER, newer, true);
      assertThat(listening.isConnected()).as("after what may be a read").isTrue();
      assertThat(connections.borrow(Connections.Use.ATTEMPT)).isSameAs(newer);
      connections.giveBack(Connections.Use.ATTEMPT, newer, true);
      assertThat(listening.isConnected()).isFalse();
      connections.close();
    }
  }

  @Test
  void W3_aListenerThatWasOpenedAfterTheServedConnectionStays() {
    try (RedisServer server = TestRedis.start()) {
      OwnConnections connections = OwnConnections.open(
          config("any", server).build(), new ClientId("00000000000000aa", "host"));
      connections.misled();
      Connection serving = connections.borrow(Connections.Use.ATTEMPT);
      try (Connection listening = connections.openListener()) {
        for (int i = 0; i < 2; i++) {
          connections.giveBack(Connections.Use.ATTEMPT, serving, true);
          assertThat(listening.isConnected()).isTrue();
          serving = connections.borrow(Connections.Use.ATTEMPT);
        }
      }
      connections.close();
    }
  }

  @Test
  void X1_whoWaitsForAConnectionGoesOnToTheNewMaster() throws Exception {
    try (RedisServer old = TestRedis.builder().owned().start();
        RedisServer next = TestRedis.builder().owned().start()) {
      AtomicReference<HostAndPort> master = new AtomicReference<>(address(old));
      OwnConnections connections = new OwnConnections(
          config("any", old).set(JedisOptions.TIMEOUT, Duration.ofSeconds(20)).build(),
          new ClientId("00000000000000aa", "host"),
          master::get);
      var hanging = connections.borrow(Connections.Use.HOLDER);
      old.command("CONFIG", "SET", "maxclients", "1");
      FutureTask<Connection> waiting =
          new FutureTask<>(() -> connections.borrow(Connections.Use.HOLDER));
      Thread thread = new Thread(waiting, "waits");
      thread.setDaemon(true);
      thread.start();
      assertThatThrownBy(() -> waiting.get(200, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      next.command("SET", "where", "next");

      master.set(address(next));

      Connection found = waiting.get(10, TimeUnit.SECONDS);
      found.sendCommand(Command.GET, "where");
      assertThat(found.getBulkReply()).isEqualTo("next");
      connections.giveBack(Connections.Use.HOLDER, found, true);
      connections.giveBack(Connections.Use.HOLDER, hanging, true);
      connections.close();
    }
  }

  @Test
  void W4_whoWaitsForAConnectionHasOneOnceTheServerHasRoom() throws Exception {
    try (RedisServer server = TestRedis.builder().owned().start()) {
      OwnConnections connections = OwnConnections.open(
          config("any", server)
              .set(JedisOptions.TIMEOUT, Duration.ofSeconds(20))
              .build(),
          new ClientId("00000000000000aa", "host"));
      var hanging = connections.borrow(Connections.Use.HOLDER);
      server.command("CONFIG", "SET", "maxclients", "1");
      FutureTask<Connection> waiting =
          new FutureTask<>(() -> connections.borrow(Connections.Use.HOLDER));
      Thread thread = new Thread(waiting, "waits");
      thread.setDaemon(true);
      thread.start();
      assertThatThrownBy(() -> waiting.get(200, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);

      hanging.executeCommand(
          new CommandArguments(Command.CONFIG).add("SET").add("maxclients").add("10"));

      Connection found = waiting.get(10, TimeUnit.SECONDS);
      assertThat(found.ping()).isTrue();
      connections.giveBack(Connections.Use.HOLDER, found, true);
      connections.giveBack(Connections.Use.HOLDER, hanging, true);
      connections.close();
    }
  }

  @Test
  void anErrorAfterAFaultCostsNeitherAConnectionNorASender() throws Exception {
    AtomicBoolean failing = new AtomicBoolean();
    try (FakeRedis server = new FakeRedis(command -> failing.get() ? null : "+OK\r\n")) {
      ServerPlace withoutMemory = new ServerPlace() {
        @Override
        public HostAndPort address() {
          return new HostAndPort("127.0.0.1", server.host().port().orElseThrow());
        }

        @Override
        public void doubt() {
          if (failing.get()) {
            throw new OutOfMemoryError("as planned");
          }
        }
      };
      LockConfig config = server
          .config()
          .set(JedisOptions.TIMEOUT, LONG)
          .set(JedisOptions.POOL_SIZE, 2)
          .build();
      OwnConnections connections =
          new OwnConnections(config, new ClientId("00000000000000aa", "host"), withoutMemory);
      LockKeys keys = new KeyLayout("t").keys("n");
      SharedCalls calls = new SharedCalls(new JedisCalls(connections), LONG, new RoundTrip(1));
      Callable<Object> get = () -> calls.run(
          Connections.Use.ATTEMPT, "get", keys, () -> new CommandArguments(Command.GET).add("k"));
      for (int i = 0; i < 3; i++) {
        var unused = get.call(); // opens a connection
        failing.set(true);
        assertThatThrownBy(get::call).hasMessage("as planned");
        failing.set(false);
      }
      assertThat(get.call()).isEqualTo("OK".getBytes(UTF_8));
      connections.close();
    }
  }

  private static HostAndPort address(RedisServer server) {
    return new HostAndPort(server.host(), server.port());
  }
}
