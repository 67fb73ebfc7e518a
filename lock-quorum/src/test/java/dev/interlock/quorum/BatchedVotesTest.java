package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which votes count that came with a batch, and what becomes of those that did not come. */
@Timeout(30)
class BatchedVotesTest {
  private static final String NAME = "a";

  /** Longer than the test: nothing ends by itself. */
  private static final Duration LEASE = Duration.ofSeconds(50);

  private static final AtomicInteger TESTS = new AtomicInteger();
  private static final AtomicLong IDS = new AtomicLong();

  private final String letter = "voted" + TESTS.incrementAndGet() + "-";
  private LockBackend quorum;
  private List<LockBackend> servers;

  @BeforeEach
  void open() {
    quorum = open(
        "ours",
        ThreeRedis.quorum(
            IntStream.range(0, 3)
                .mapToObj(i -> "batching://?namespace=" + letter + i)
                .toList(),
            ""));
    servers = IntStream.range(0, 3)
        .mapToObj(i -> open("direct", "local://?namespace=" + letter + i))
        .toList();
  }

  @AfterEach
  void close() {
    quorum.close();
    servers.forEach(LockBackend::close);
  }

  private static LockBackend open(String client, String uri) {
    LockBackend opened =
        BackendContext.of(new ClientId(client, "test")).open(LockConfig.parse(uri));
    opened.subscribe(BackendEvents.IGNORED);
    return opened;
  }

  private BatchingProvider.Way way(int member) {
    return BatchingProvider.of("ours", letter + member);
  }

  private static Attempt attempt() {
    return Attempt.of(NAME, new HoldId(1, IDS.incrementAndGet()), "owner", LEASE);
  }

  private void takeAndRelease() throws InterruptedException {
    Attempt calm = attempt();
    assertThat(quorum.attempt(calm)).isInstanceOf(Grant.class);
    assertThat(quorum.release(NAME, calm.id())).isTrue();
    for (LockBackend server : servers) {
      awaitFree(server); // a release is answered once enough members have
    }
  }

  private static void forget(LockBackend server) {
    server
        .inspect(Memory.MARK)
        .ifPresent(mark -> server.forceRelease(Memory.MARK, mark.fencingToken()));
  }

  private static void awaitFree(LockBackend server) throws InterruptedException {
    while (server.inspect(NAME).isPresent()) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }

  @Test
  @DisplayName(
      "Q4: a vote of a batch does not count if the member forgot what it granted before it")
  void looksBehindTheVotes() throws Exception {
    takeAndRelease();
    for (int member = 1; member < 3; member++) {
      LockBackend server = servers.get(member);
      way(member).before(() -> forget(server));
    }
    assertThatThrownBy(() -> quorum.attempt(attempt()))
        .isInstanceOf(LockException.class)
        .hasMessageContaining("member 2 is new or has lost its state");
  }

  @Test
  @DisplayName("Q4: a vote without the look behind it does not count, and is given back")
  void losesTheLook() throws Exception {
    takeAndRelease();
    for (int member = 1; member < 3; member++) {
      way(member).breaksAfter(1); // the vote, not the look
    }
    assertThatThrownBy(() -> quorum.attempt(attempt())).isInstanceOf(LockException.class);
    for (LockBackend server : servers) {
      awaitFree(server);
    }
  }

  @Test
  @DisplayName("E6: what a broken batch may have granted is given back, by an attempt that failed")
  void givesBackTheUnknown() throws Exception {
    takeAndRelease();
    for (LockBackend server : servers.subList(1, 3)) {
      assertThat(server.attempt(attempt())).isInstanceOf(Grant.class);
    }
    way(0).breaksAfter(0);
    assertThat(quorum.attempt(attempt())).isInstanceOf(AttemptResult.Busy.class);
    awaitFree(servers.get(0));
  }

  @Test
  @DisplayName("E3: a lock is granted by the others while one member breaks off its batches")
  void goesOnWithTheOthers() throws Exception {
    takeAndRelease();
    way(2).breaksAfter(0);
    Attempt held = attempt();
    assertThat(quorum.attempt(held)).isInstanceOf(Grant.class);
    way(2).breaksAfter(Integer.MAX_VALUE);
    assertThat(quorum.release(NAME, held.id())).isTrue();
    for (LockBackend server : servers) {
      awaitFree(server);
    }
  }

  @Test
  @DisplayName("who waits gets a place in the queue though it was asked for without patience first")
  void queues() throws Exception {
    takeAndRelease();
    Attempt holder = attempt();
    assertThat(servers.get(0).attempt(holder)).isInstanceOf(Grant.class);
    Attempt waiting = attempt().withPatience(LEASE);
    assertThat(quorum.attempt(waiting)).isInstanceOf(AttemptResult.Queued.class);
    assertThat(servers.get(0).release(NAME, holder.id())).isTrue();
    assertThat(quorum.attempt(waiting)).isInstanceOf(Grant.class);
    assertThat(quorum.release(NAME, waiting.id())).isTrue();
  }
}
