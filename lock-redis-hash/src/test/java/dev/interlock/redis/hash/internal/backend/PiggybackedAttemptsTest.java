package dev.interlock.redis.hash.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.OutcomeUnknownException;
import dev.interlock.redis.hash.internal.backend.PiggybackedAttempts.PiggybackedAttempt;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.HoldId;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which attempts go along with a release, and how long the client keeps waiters in mind. */
@Timeout(60)
class PiggybackedAttemptsTest {
  private static final Duration LEASE = Duration.ofSeconds(10);

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000);
  private final PiggybackedAttempts riders = new PiggybackedAttempts(now::get);

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  @Test
  void M4_holdsThatEndWithoutAWordAreForgotten() {
    for (int i = 0; i < 100; i++) {
      riders.queued("n" + i, new HoldId(1, i), LEASE);
    }
    pass(Duration.ofSeconds(24));
    riders.queued("n", new HoldId(2, 0), LEASE);
    assertThat(riders.known()).as("granted after 15 s, for 10 s").isEqualTo(101);
    pass(Duration.ofSeconds(16));
    riders.queued("n", new HoldId(2, 1), LEASE);
    assertThat(riders.known()).isEqualTo(2);
  }

  @Test
  void whatIsRenewedIsKept() {
    HoldId id = new HoldId(1, 0);
    riders.queued("n", id, LEASE);
    for (int i = 0; i < 10; i++) {
      pass(Duration.ofSeconds(20));
      riders.renewed("n", id, LEASE);
      riders.queued("m", new HoldId(2, i), LEASE);
    }
    riders.ended("m", new HoldId(2, 9));
    riders.ended("m", new HoldId(2, 8));
    assertThat(riders.known()).isOne();
    riders.ended("n", id);
    assertThat(riders.known()).isZero();
  }

  @Test
  void anAttemptForACrowdedLockGoesAlongWithARelease() throws Exception {
    AttemptResult answer = AttemptResult.queued(LEASE);
    PiggybackedAttempt rider = ride(attempt(), one -> one.arrive(answer));
    assertThat(rider).isNotNull();
    assertThat(rider.result()).isEqualTo(answer);
  }

  /** Those of asynchronous requests are made by a few threads of the client. */
  @Test
  void P3_anAttemptForWhoseThreadOthersWaitNeverWaitsForARelease() throws Exception {
    assertThat(ride(attempt().withPrompt(true), one -> one.arrive(null))).isNull();
  }

  /** It may be made once more, after it was granted and released. */
  @Test
  void N2_whetherAnAttemptWasMadeIsUnknownIfTheReleaseThatTookItAlongFailed() throws Exception {
    PiggybackedAttempt rider = ride(attempt(), PiggybackedAttempt::fail);
    assertThat(rider).isNotNull();
    assertThatThrownBy(rider::result).isInstanceOf(OutcomeUnknownException.class);
  }

  private static Attempt attempt() {
    return Attempt.of("n", new HoldId(3, 0), "owner", LEASE)
        .withFair(true)
        .withPatience(Duration.ofMinutes(1));
  }

  /** Lets releases take along whatever rides, until the attempt was, or has gone alone so often. */
  private @Nullable PiggybackedAttempt ride(Attempt attempt, Consumer<PiggybackedAttempt> end)
      throws Exception {
    for (int i = 0; i < 2; i++) {
      riders.queued("n", new HoldId(1, i), LEASE);
    }
    FutureTask<PiggybackedAttempt> riding = new FutureTask<>(() -> {
      PiggybackedAttempt rider = null;
      for (int i = 0; i < 1_000 && rider == null; i++) {
        rider = riders.ride(attempt);
      }
      return rider;
    });
    new Thread(riding, "rider").start();
    while (!riding.isDone()) {
      riders.take("n").forEach(end);
    }
    return riding.get();
  }
}
