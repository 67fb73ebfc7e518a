package dev.interlock.postgres.internal.grants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.spi.HoldId;
import java.util.List;
import org.junit.jupiter.api.Test;

class WaitersTest {
  private static final String NAME = "n";
  private static final HoldId ONE = new HoldId(1, 1);
  private static final HoldId OTHER = new HoldId(1, 2);
  private static final Waiters.Look LOOK = new Waiters.Look(0, 1, 1);

  private final Waiters waiters = new Waiters();

  @Test
  void attemptsWaitForARelease_whileAnotherWaiterOfTheClientStandsInTheQueue() {
    waiters.comes(NAME, ONE);
    assertThat(waiters.rideNanos(NAME)).as("on its way").isZero();
    waiters.stands(NAME, ONE, LOOK);
    assertThat(waiters.rideNanos(NAME)).isPositive();
    assertThat(waiters.count(NAME)).isOne();
    waiters.remove(NAME, ONE);
    assertThat(waiters.rideNanos(NAME)).isZero();
    assertThat(waiters.count(NAME)).isZero();
  }

  @Test
  void aWaiterThatIsGrantedTheLockBeforeItsAnswerIsHereDoesNotStand() {
    waiters.comes(NAME, ONE);
    waiters.comes(NAME, OTHER);
    waiters.remove(NAME, ONE);
    waiters.stands(NAME, ONE, LOOK);
    assertThat(waiters.rideNanos(NAME)).isZero();
    waiters.stands(NAME, OTHER, LOOK);
    assertThat(waiters.count(NAME)).isOne();
  }

  @Test
  void oneThatIsNotAnsweredStandsIfItStoodBefore() {
    waiters.comes(NAME, ONE);
    waiters.failed(NAME, ONE);
    waiters.stands(NAME, ONE, LOOK);
    assertThat(waiters.count(NAME)).isZero();
    waiters.comes(NAME, ONE);
    waiters.stands(NAME, ONE, LOOK);
    waiters.comes(NAME, ONE);
    waiters.failed(NAME, ONE);
    assertThat(waiters.count(NAME)).isOne();
  }

  @Test
  void aLateAnswerDoesNotHideThatAGrantWasTakenAway() {
    Message.Told grant = new Message.Told(2, 1, 60_000_000, List.of());
    Waiters.Look asked = new Waiters.Look(System.nanoTime(), 1, 120_000_000);
    waiters.comes(NAME, ONE);
    waiters.stands(NAME, ONE, asked);
    assertThat(waiters.since(NAME, ONE, grant)).hasValue(asked.askedAt());
    waiters.doubt(NAME, ONE);
    waiters.stands(NAME, ONE, asked);
    assertThat(waiters.since(NAME, ONE, grant)).as("asked before").isEmpty();
    waiters.stands(NAME, ONE, new Waiters.Look(System.nanoTime(), 1, 120_000_000));
    assertThat(waiters.since(NAME, ONE, grant)).as("asked since").isPresent();
  }

  @Test
  void answersCountInTheOrderOfTheQuestions() {
    Message.Told old = new Message.Told(2, 1, 60_000_000, List.of());
    Waiters.Look first = new Waiters.Look(System.nanoTime(), 1, 120_000_000);
    Waiters.Look second = new Waiters.Look(first.askedAt() + 1, 2, 120_000_000);
    waiters.comes(NAME, ONE);
    waiters.stands(NAME, ONE, second);
    waiters.stands(NAME, ONE, first);
    assertThat(waiters.since(NAME, ONE, old)).isEmpty();
  }
}
