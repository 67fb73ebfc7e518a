package dev.interlock.redis.hash.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.Locks;
import dev.interlock.contract.Lateness;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A long queue over several real JVMs, one of which is killed with all of its clients. */
@Tag("thorough")
@Timeout(120)
class DyingWaitersTest {
  private static final int WAITERS = 500;
  private static final int JVMS = 3;
  private static final int DYING = 50;

  /** How long a grant may stay unconfirmed (state.lua). */
  private static final long CLAIM_MILLIS = 2_000;

  /**
   * What a busy machine adds: one of three JVMs may stand still for half a second, and so may the
   * server. Together with a claim it is the three seconds that are promised, and less than two
   * claims.
   */
  private static final long SLACK_MILLIS = 1_000;

  /** How many times as long as this JVM was late it may take beyond that: four JVMs share it. */
  private static final int PATIENCE = 4;

  /** A report of {@link WaitingMain}. */
  private record Turn(int number, long token, long atMillis) {
    static Turn parse(String line) {
      String[] parts = line.split(" ", 3);
      return new Turn(
          Integer.parseInt(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]));
    }
  }

  private final List<WaitingJvm> living = new ArrayList<>();
  private RedisServer server;
  private WaitingJvm dying;
  private LockClient first;

  @BeforeEach
  void start() throws IOException {
    server = TestRedis.builder().owned().start();
    first = Locks.open(server.uri("redis-hash"));
    for (int i = 0; i < JVMS; i++) {
      living.add(WaitingJvm.start(server.uri("redis-hash"), 1));
    }
    dying = WaitingJvm.start(server.uri("redis-hash"), DYING);
    for (WaitingJvm jvm : living) {
      assertThat(jvm.read()).isEqualTo(WaitingMain.READY);
    }
    assertThat(dying.read()).isEqualTo(WaitingMain.READY);
  }

  @AfterEach
  void close() {
    living.forEach(WaitingJvm::close);
    dying.close();
    first.close();
    server.close();
  }

  @Test
  void F3_F4_aQueueOverJvmsIsServedInOrderAndTheDeadDelayItNoMoreThanOneClaim() throws Exception {
    try (Lateness lateness = new Lateness()) {
      assertServedInOrder(lateness);
    }
  }

  private void assertServedInOrder(Lateness lateness) throws Exception {
    Lease held = first.acquire(WaitingMain.REQUEST);
    List<Integer> survivors = queueUp();
    dying.kill();
    lateness.reset();
    long releasedAt = System.currentTimeMillis();
    held.release();
    List<Turn> turns = turns(survivors.size());
    // The server's tokens tell the order in which it granted.
    turns.sort(Comparator.comparingLong(Turn::token));
    assertThat(turns.stream().map(Turn::number)).containsExactlyElementsOf(survivors);
    long allowed = CLAIM_MILLIS + SLACK_MILLIS + PATIENCE * lateness.nanos() / 1_000_000;
    long before = releasedAt;
    for (Turn turn : turns) {
      assertThat(turn.atMillis() - before)
          .as("delay before waiter %s", turn.number())
          .isLessThan(allowed);
      before = turn.atMillis();
    }
  }

  /** Queues all, one behind the other, the first and every tenth of them to die. */
  private List<Integer> queueUp() throws Exception {
    List<Integer> survivors = new ArrayList<>();
    for (int i = 0; i < WAITERS; i++) {
      if (i % (WAITERS / DYING) == 0) {
        dying.queue(i);
      } else {
        survivors.add(i);
        living.get(i % JVMS).queue(i);
      }
      Topologies.awaitWaiters(first, "n", i + 1);
    }
    return survivors;
  }

  private List<Turn> turns(int count) throws IOException {
    List<Turn> turns = new ArrayList<>();
    for (WaitingJvm jvm : living) {
      int its = turns.size();
      while (turns.size() - its < count / JVMS) {
        turns.add(Turn.parse(jvm.read()));
      }
    }
    return turns;
  }
}
