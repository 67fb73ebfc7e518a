package dev.interlock.redis.hash.internal.push;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.redis.hash.internal.backend.TestClient;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.spi.HoldId;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A subscription that ends. */
@Timeout(60)
class PushMailboxTest {
  private static final Pattern SUBSCRIBED = Pattern.compile("cmdstat_subscribe:calls=(\\d+)");

  private RedisServer server;
  private TestClient client;
  private HoldId waiter;

  @BeforeEach
  void listen() throws InterruptedException {
    server = TestRedis.builder()
        .owned()
        .user("app", "on", ">secret", "~*", "&*", "+@all")
        .start();
    client = TestClient.deaf("redis-hash://app:secret@" + server.host() + ":" + server.port());
    client.startToListen();
    assertThat(client.event()).isEqualTo("inDoubt");
    waiter = client.id();
    client.tryOnce("n", client.id());
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  private int subscriptions() {
    Matcher found = SUBSCRIBED.matcher(server.command("INFO", "commandstats"));
    return found.find() ? Integer.parseInt(found.group(1)) : 0;
  }

  /** Lettuce repeats a subscription once after a reconnect, and says nothing of a refusal. */
  @Test
  void P2_aSubscriptionThatWasRefusedAfterACutIsMadeOnceTheRightIsBack() throws Exception {
    server.command("ACL", "SETUSER", "app", "resetchannels");
    server.command("CLIENT", "KILL", "TYPE", "pubsub");
    Topologies.await(() -> server
        .command("INFO", "commandstats")
        .matches("(?s).*cmdstat_subscribe:\\S*rejected_calls=[1-9].*"));
    server.command("ACL", "SETUSER", "app", "allchannels");
    Topologies.await(() -> {
      client.queue("n", waiter);
      return client.listeners(server) == 1;
    });
    assertThat(client.event()).as("something may have been missed").isEqualTo("inDoubt");
  }

  @Test
  void P2_askingForASignOfLifeCastsNoDoubtOnWhatWasHeard() {
    int before = subscriptions();
    Topologies.await(() -> {
      client.queue("n", waiter);
      return subscriptions() >= before + 2;
    });
    assertThat(client.events).isEmpty();
  }
}
