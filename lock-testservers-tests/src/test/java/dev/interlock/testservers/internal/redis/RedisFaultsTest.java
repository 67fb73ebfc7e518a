package dev.interlock.testservers.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.testservers.RedisFaults;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** That an ordered fault happens, and leaves the keys as they were. */
@Timeout(60)
class RedisFaultsTest {
  private static final int TRIES = 20_000;

  private RedisServer server;
  private RedisFaults faults;
  private RedisConnection client;

  @BeforeEach
  void start() throws IOException {
    server = TestRedis.start();
    faults = RedisFaults.of(server);
    client = RedisConnection.open(RedisEndpoint.parse(server.uri()), Duration.ofSeconds(5));
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    server.close();
  }

  @Test
  void transactionsThatWatchAKeyAreRefusedAndTheKeyStaysAsItWas() throws IOException {
    client.call("SET", "there", "value", "PX", "600000");
    for (String key : List.of("there", "absent")) {
      int refused = 0;
      for (int i = 0; i < TRIES && refused == 0; i++) {
        if (i % 20 == 0) {
          faults.disturb();
        }
        refused += transaction(key).equals("(nil)") ? 1 : 0;
      }
      assertThat(refused).as(key).isEqualTo(1);
      client.call("PING"); // counted once the client goes on
      await().until(faults::disturb);
    }
    assertThat(client.call("GET", "there")).isEqualTo("value");
    assertThat(Long.parseLong(client.call("PTTL", "there"))).isBetween(500_000L, 600_000L);
    assertThat(client.call("EXISTS", "absent", "there:aside", "absent:aside")).isEqualTo("0");
  }

  @Test
  void noMoreAreRefusedThanWereOrdered() throws IOException {
    faults.disturb();
    int refused = 0;
    for (int i = 0; i < 2_000; i++) {
      refused += transaction("key").equals("(nil)") ? 1 : 0;
    }
    assertThat(refused).isBetween(0, 3);
  }

  @Test
  void whereNothingIsWatchedAndNoScriptIsKnownThereIsNothingToDisturb() throws IOException {
    assertThat(faults.disturb()).isFalse();
    client.call("SET", "key", "value");
    assertThat(faults.disturb()).isFalse();
    client.call("EVAL", "return 1", "0");
    assertThat(faults.disturb()).isTrue();
    assertThat(faults.disturb()).isFalse();
  }

  /** Looks, and then changes, as a client does that needs a second round trip for it. */
  private String transaction(String key) throws IOException {
    client.callAll(List.of(List.of("WATCH", key), List.of("GET", key)));
    return client
        .callAll(List.of(List.of("MULTI"), List.of("INCR", "count"), List.of("EXEC")))
        .get(2);
  }
}
