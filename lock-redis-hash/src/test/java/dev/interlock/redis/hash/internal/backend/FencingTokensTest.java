package dev.interlock.redis.hash.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tokens grow, whatever happens to the server's state and clock. */
@Timeout(60)
class FencingTokensTest extends OneClient {
  @Test
  void T2_tokensGrowAcrossLossOfAllState() {
    long last = 0;
    for (int i = 0; i < 20; i++) {
      Grant granted = (Grant) client.tryOnce("n", client.id(), Duration.ofSeconds(1));
      assertThat(granted.fencingToken()).isGreaterThan(last);
      last = granted.fencingToken();
      server.command("FLUSHALL");
    }
  }

  @Test
  void T2_tokensGrowWhenTheServersClockIsSetBack() {
    long before = ((Grant) client.tryOnce("n", a)).fencingToken();
    client.release("n", a);
    long later = before + TimeUnit.HOURS.toMicros(1);
    server.command("SET", server.command("KEYS", "*:token").strip(), Long.toString(later));
    Grant granted = (Grant) client.tryOnce("n", b);
    assertThat(granted.fencingToken()).isEqualTo(later + 1);
    assertThat(client.backend.inspect("n").orElseThrow().fencingToken()).isEqualTo(later + 1);
    client.release("n", b);
    assertThat(((Grant) client.tryOnce("n", c)).fencingToken()).isEqualTo(later + 2);
  }

  @Test
  void T1_tokensGrowFromHoldToHoldAlsoThroughTheQueue() {
    long last = ((Grant) client.tryOnce("n", a)).fencingToken();
    HoldId holder = a;
    for (int i = 0; i < 50; i++) {
      HoldId next = client.id();
      client.queue("n", next);
      long token = client.release("n", holder).granted().fencingToken();
      assertThat(token).isGreaterThan(last);
      last = token;
      holder = next;
    }
  }
}
