package dev.interlock.quorum.internal.hold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.quorum.SteeredMembers;
import dev.interlock.quorum.internal.member.Member;
import dev.interlock.spi.Attempt;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Where no thread can be started, a question fails on the thread that asks it, and takes those of
 * others that have gathered there along. What goes on behind these needs other monitors.
 */
@Timeout(60)
class StandingMonitorTest extends SteeredMembers {
  private final Attempt attempt = attempt();
  private final Debts debts = new Debts();
  private final Standing standing = new Standing(NAME, attempt.id(), 3, debts);
  private Member member;

  @BeforeEach
  void choose() {
    member = quorumMembers().all().get(0);
  }

  @Test
  @DisplayName("E7: no member is asked anything under the monitor of an attempt")
  void asksOutside() {
    List<Boolean> locked = new ArrayList<>();
    Supplier<CompletableFuture<Boolean>> question = () -> {
      locked.add(Thread.holdsLock(standing));
      return CompletableFuture.completedFuture(true);
    };

    assertThat(standing.ask(member, question)).isCompletedWithValue(true);
    assertThat(standing.askBack(member, question)).isCompletedWithValue(true);
    standing.holds(attempt, 1, System.nanoTime(), System.currentTimeMillis());
    assertThat(standing.askWhileHeld(member, question)).isCompletedWithValue(true);

    assertThat(locked).containsExactly(false, false, false);
  }

  @Test
  @DisplayName("what is asked while a member is asked goes behind that, and is not asked at once")
  void keepsTheOrder() {
    List<String> order = new ArrayList<>();
    CompletableFuture<Boolean> open = new CompletableFuture<>();
    CompletableFuture<Boolean> second = new CompletableFuture<>();

    CompletableFuture<Boolean> first = standing.ask(member, () -> {
      var unused = standing.ask(member, () -> {
        order.add("second");
        return second;
      });
      order.add("first");
      return open;
    });

    assertThat(order).containsExactly("first");
    open.complete(true);
    assertThat(first).isCompletedWithValue(true);
    assertThat(order).containsExactly("first", "second");
  }

  @Test
  @DisplayName("a question that fails with an Error keeps nothing behind it from being asked")
  void goesOnBehindAnError() {
    CompletableFuture<Boolean> failed = standing.ask(member, () -> {
      throw new LinkageError("no such class");
    });

    assertThat(failed).isCompletedExceptionally();
    assertThat(standing.ask(member, () -> CompletableFuture.completedFuture(true)))
        .isCompletedWithValue(true);
  }

  @Test
  @DisplayName("whether something is owed is told while another thread has the monitor")
  void tellsWhatIsOwedMeanwhile() throws Exception {
    CompletableFuture<Boolean> told;
    synchronized (standing) {
      told = CompletableFuture.supplyAsync(() -> standing.isOwedTo(member));
      assertThat(told.get(10, TimeUnit.SECONDS)).isFalse();
    }
  }
}
