package dev.interlock.quorum.internal.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.OutcomeUnknownException;
import dev.interlock.quorum.BatchingMembers;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a member costs the others that takes what it is asked and answers nothing, for good. */
@Timeout(60)
class SilentMemberTest extends BatchingMembers {
  private static final int THREADS = 16;
  private static final int SECTIONS = 20;

  /** Of two members: the votes, one token that is raised, the releases. */
  private static final int QUESTIONS = 5;

  private static final AtomicLong IDS = new AtomicLong();

  private final CountDownLatch goOn = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

  @AfterEach
  void goOn() {
    goOn.countDown();
    threads.shutdown();
  }

  private boolean hang() {
    try {
      return goOn.await(50, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new OutcomeUnknownException("interrupted", e);
    }
  }

  /** All threads but one that the member may have wait for its answers: whoever asks is seen. */
  private void fallSilent(int place) throws InterruptedException {
    ways.get(place).before(this::hang);
    ask(place, MemberThreads.MOST - 1);
    Member member = member(place);
    while (member.isLive()) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }

  private Member member(int place) {
    return quorumMembers().all().get(place);
  }

  private void ask(int place, int times) {
    for (int i = 0; i < times; i++) {
      CompletableFuture<Boolean> unused = member(place).call(open -> hang());
    }
  }

  private void sections(int each) throws Exception {
    List<Future<Boolean>> all = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      String name = "n" + i;
      all.add(threads.submit(() -> {
        for (int section = 0; section < each; section++) {
          Attempt held = Attempt.of(name, new HoldId(2, IDS.incrementAndGet()), "owner", LEASE);
          assertThat(quorum.attempt(held)).isInstanceOf(Grant.class);
          assertThat(quorum.release(name, held.id())).isTrue();
        }
        return true;
      }));
    }
    for (Future<Boolean> one : all) {
      assertThat(one.get(50, TimeUnit.SECONDS)).isTrue();
    }
  }

  private int questions(int place) {
    return ways.get(place).sizes().stream().mapToInt(size -> size).sum();
  }

  @ParameterizedTest(name = "member {0}")
  @DisplayName("Q1: once it is left out, nobody asks it, waits for it, or asks the others for more")
  @ValueSource(ints = {0, 2})
  void costsTheOthersNothing(int silent) throws Exception {
    sections(1);
    fallSilent(silent);
    int askedBefore = questions(silent);
    int othersBefore = questions(0) + questions(1) + questions(2) - askedBefore;

    sections(SECTIONS);

    assertThat(questions(silent)).isEqualTo(askedBefore);
    int others = questions(0) + questions(1) + questions(2) - askedBefore - othersBefore;
    assertThat(others).isLessThanOrEqualTo(THREADS * SECTIONS * QUESTIONS);

    ask(silent, MemberThreads.MOST); // no thread is left for it, and the others have theirs
    sections(SECTIONS);
  }
}
