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

/** When the others are asked beside the contended member, and what becomes of their votes. */
@Timeout(30)
class EarlyVotesTest {
  private static final String NAME = "a";

  /** Longer than the test: nothing ends by itself. */
  private static final Duration LEASE = Duration.ofSeconds(50);

  private static final AtomicInteger TESTS = new AtomicInteger();
  private static final AtomicLong IDS = new AtomicLong();

  private final String letter = "early" + TESTS.incrementAndGet() + "-";
  private final List<SteeredProvider.Steered> members = SteeredProvider.of("ours", letter, 3);
  private LockBackend quorum;
  private LockBackend first;

  @BeforeEach
  void open() {
    quorum = open("ours", SteeredProvider.quorum(letter + 0, letter + 1, letter + 2));
    first = open("first", "local://?namespace=" + letter + 0);
  }

  @AfterEach
  void close() {
    quorum.close();
    first.close();
  }

  private static LockBackend open(String client, String uri) {
    LockBackend opened =
        BackendContext.of(new ClientId(client, "test")).open(LockConfig.parse(uri));
    opened.subscribe(BackendEvents.IGNORED);
    return opened;
  }

  private static Attempt attempt() {
    return Attempt.of(NAME, new HoldId(1, IDS.incrementAndGet()), "owner", LEASE);
  }

  private void takeAndRelease() {
    Attempt calm = attempt();
    assertThat(quorum.attempt(calm)).isInstanceOf(Grant.class);
    assertThat(quorum.release(NAME, calm.id())).isTrue();
  }

  private List<HoldId> asked(int member) {
    return members.get(member).attempts(NAME);
  }

  @Test
  @DisplayName("who was asked beside a contended member that is held has nothing in others' way")
  void givesBackEarlyVotes() throws Exception {
    takeAndRelease();
    assertThat(first.attempt(attempt())).isInstanceOf(Grant.class);
    Attempt early = attempt();
    assertThat(quorum.attempt(early)).isInstanceOf(AttemptResult.Busy.class);
    for (int member = 1; member < 3; member++) {
      while (!asked(member).contains(early.id())) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      try (LockBackend direct = open("direct", "local://?namespace=" + letter + member)) {
        while (direct.inspect(NAME).isPresent()) {
          TimeUnit.MILLISECONDS.sleep(1);
        }
      }
    }
  }

  @Test
  @DisplayName("nobody is asked early after a wait, for others may wait, too")
  void asksNoneEarlyAfterAWait() {
    takeAndRelease();
    Attempt holder = attempt();
    assertThat(first.attempt(holder)).isInstanceOf(Grant.class);
    Attempt waiting = attempt().withPatience(LEASE);
    assertThat(quorum.attempt(waiting)).isInstanceOf(AttemptResult.Queued.class);
    assertThat(first.release(NAME, holder.id())).isTrue();
    assertThat(quorum.attempt(waiting)).isInstanceOf(Grant.class);
    assertThat(quorum.release(NAME, waiting.id())).isTrue();

    assertThat(first.attempt(attempt())).isInstanceOf(Grant.class);
    Attempt next = attempt();
    assertThat(quorum.attempt(next)).isInstanceOf(AttemptResult.Busy.class);
    quorum.close(); // nothing is under way any more
    assertThat(asked(0)).contains(next.id());
    assertThat(asked(1)).doesNotContain(next.id());
    assertThat(asked(2)).doesNotContain(next.id());
  }

  @Test
  @DisplayName("a vote does not count if the member forgot what it granted right before it")
  void looksBehindTheVote() {
    takeAndRelease();
    List<LockBackend> direct = IntStream.of(1, 2)
        .mapToObj(member -> open("direct", "local://?namespace=" + letter + member))
        .toList();
    for (int member = 1; member < 3; member++) {
      LockBackend server = direct.get(member - 1);
      members
          .get(member)
          .before(() -> server
              .inspect(Memory.MARK)
              .ifPresent(mark -> server.forceRelease(Memory.MARK, mark.fencingToken())));
    }
    assertThatThrownBy(() -> quorum.attempt(attempt()))
        .isInstanceOf(LockException.class)
        .hasMessageContaining("member 2 is new or has lost its state");
    direct.forEach(LockBackend::close);
  }
}
