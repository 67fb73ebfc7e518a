package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An application that moves from one backend to another, instance by instance. */
@Timeout(240)
class MoveTest {
  private static final List<String> NAMES = List.of("a", "b");
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration PATIENCE = Duration.ofSeconds(50);
  private static final int HOLDS = 10;

  private final Contest contest = new Contest();
  private final List<Contender> instances = new ArrayList<>();
  private ThreeRedis redis;

  @BeforeEach
  void start() {
    redis = new ThreeRedis();
  }

  @AfterEach
  void stop() {
    instances.forEach(Contender::close);
    redis.close();
  }

  @Test
  @DisplayName("two JVMs on different stages of a move exclude one another, and tokens grow")
  void moves() throws Exception {
    String old = redis.server(0).uri("redis-setnx");
    String next = redis.server(1).uri("redis-hash");
    String both = ThreeRedis.quorum(List.of(old, next), "&need=all");

    Contender one = instance(old, "one-on-old");
    Contender other = instance(old, "other-on-old");
    awaitHolds("one-on-old", "other-on-old");
    one = replace(one, both, "one-on-both");
    awaitHolds("one-on-both", "other-on-old");
    other = replace(other, both, "other-on-both");
    awaitHolds("one-on-both", "other-on-both");
    one = replace(one, next, "one-on-next");
    awaitHolds("one-on-next", "other-on-both");
    other = replace(other, next, "other-on-next");
    awaitHolds("one-on-next", "other-on-next");

    assertThat(one.stop(PATIENCE)).isNull();
    assertThat(other.stop(PATIENCE)).isNull();
    assertThat(contest.judge()).isEmpty();
  }

  private Contender instance(String uri, String label) throws Exception {
    Contender started = Contender.start(uri, label, NAMES, LEASE, label.hashCode(), contest);
    instances.add(started);
    return started;
  }

  private Contender replace(Contender before, String uri, String label) throws Exception {
    assertThat(before.stop(PATIENCE)).isNull();
    return instance(uri, label);
  }

  /** Until both instances have held locks by turns from now on. */
  private void awaitHolds(String one, String other) throws InterruptedException {
    long begun = System.nanoTime();
    while (contest.begunBy(one, begun) < HOLDS || contest.begunBy(other, begun) < HOLDS) {
      assertThat(System.nanoTime() - begun)
          .as("%s and %s, %s", one, other, contest.judge())
          .isLessThan(PATIENCE.toNanos());
      Thread.sleep(50);
    }
  }
}
