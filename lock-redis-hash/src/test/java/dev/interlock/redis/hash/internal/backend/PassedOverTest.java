package dev.interlock.redis.hash.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.redis.support.contract.BackendContract;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult.Queued;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiters that were passed over, and the set by which dead ones among them are found. */
@Timeout(120)
class PassedOverTest {
  /** More than one step looks at. */
  private static final int MANY = 400;

  private static final int FEW = 200;

  private RedisServer server;
  private TestClient living;
  private TestClient dying;
  private HoldId holder;

  @BeforeEach
  void start() throws InterruptedException {
    server = TestRedis.builder().owned().start();
    living = TestClient.open(server);
    dying = TestClient.open(server);
    holder = living.id();
    living.tryOnce("n", holder, Duration.ofMinutes(10));
  }

  @AfterEach
  void close() {
    living.close();
    dying.close();
    server.close();
  }

  @Test
  void F4_deadWaitersThatWerePassedOverAreRemovedHoweverLateTheyAreLookedFor() {
    passOver(MANY);
    letDeadlinesPass();
    living.release("n", holder);
    assertThat(living.tryOnce("n", holder, Duration.ofHours(1))).isInstanceOf(Grant.class);
    assertThat(millisLeft(aside()))
        .as("who was passed over is known as long as the lock is there")
        .isGreaterThanOrEqualTo(millisLeft(BackendContract.key("n")) - 1_000);
    renewUntilNobodyWaits();
  }

  /** By an operator, or by a server that evicts. */
  @Test
  void F4_deadWaitersThatWerePassedOverAreRemovedThoughTheSetOfThemWasLost() {
    passOver(MANY);
    letDeadlinesPass();
    assertThat(server.command("DEL", aside())).isEqualTo("1");
    renewUntilNobodyWaits();
  }

  @Test
  void F5_livingWaitersThatWerePassedOverKeepTheirPlacesThoughTheSetOfThemWasLost() {
    try (TestClient deaf = TestClient.deaf(server)) {
      List<HoldId> ids = Stream.generate(deaf::id).limit(FEW).toList();
      ids.forEach(id -> deaf.queue("n", id));
      living.release("n", holder);
      assertThat(living.tryOnce("n", holder)).isInstanceOf(Grant.class);
      assertThat(server.command("DEL", aside())).isEqualTo("1");
      assertThat(living.renew("n", holder)).isInstanceOf(Grant.class);
      assertThat(server.command("ZCARD", aside())).isEqualTo(Integer.toString(FEW));
      List<Renewal> batch =
          ids.stream().map(id -> Renewal.of("n", id, TestClient.LEASE, true)).toList();
      assertThat(RenewalAnswers.collect(deaf.backend, batch)).allMatch(Queued.class::isInstance);
    }
  }

  private void passOver(int count) {
    Stream.generate(dying::id).limit(count).forEach(id -> dying.queue("n", id));
    dying.close();
    Topologies.await(() -> dying.listeners(server) == 0);
    living.release("n", holder);
    assertThat(living.tryOnce("n", holder, Duration.ofMinutes(10))).isInstanceOf(Grant.class);
    assertThat(living.backend.inspect("n").orElseThrow().waiters()).isEqualTo(count);
  }

  /** Their deadlines are over then, in the hash and in the set. */
  private void letDeadlinesPass() {
    server.command("EVAL", """
        local fields = redis.call('HGETALL', KEYS[1])
        for i = 1, #fields, 2 do
          local value = fields[i + 1]
          if string.sub(value, 1, 1) == 'a' then
            value = string.sub(value, 1, 33) .. string.rep('0', 16) .. string.sub(value, 50)
            redis.call('HSET', KEYS[1], fields[i], value)
            redis.call('ZADD', KEYS[2], 0, fields[i])
          end
        end
        """, "2", BackendContract.key("n"), aside());
  }

  private void renewUntilNobodyWaits() {
    Topologies.await(() -> {
      assertThat(living.renew("n", holder)).isInstanceOf(Grant.class);
      return living.backend.inspect("n").orElseThrow().waiters() == 0;
    });
    assertThat(server.command("HLEN", BackendContract.key("n")))
        .as("the header, and nobody in front")
        .isEqualTo("2");
  }

  private static String aside() {
    return BackendContract.key("n").replace(":lock:", ":wait:");
  }

  private long millisLeft(String key) {
    return Long.parseLong(server.command("PTTL", key));
  }
}
