package dev.interlock.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.RenewalResult;
import org.junit.jupiter.api.Test;

/** Waiters that keep others out of a lock that is shared, alive and silent, without the engine. */
public abstract class SilentWaitersContract extends CountedHoldsRig {
  /** For subclasses. */
  protected SilentWaitersContract() {}

  /** Until when the server keeps a waiter that gives no further sign of life. */
  protected abstract long keptUntil(HoldId waiter);

  @Undisturbed(millis = 300)
  void w2_aWriterThatIsSilentIsPassedOverAndBackInItsPlaceOnceItShowsItself() throws Exception {
    passOverAndBack(1);
  }

  @Undisturbed(millis = 300)
  void w2_aLargeRequestThatIsSilentIsPassedOverAndBackInItsPlaceOnceItShowsItself()
      throws Exception {
    passOverAndBack(4);
  }

  private void passOverAndBack(int capacity) throws Exception {
    HoldId first = held(one, 1, 4);
    TestClient frozen = listening();
    HoldId silent = waiting(frozen, capacity, capacity);
    HoldId other = waiting(frozen, capacity, capacity);
    HoldId small = waiting(two, 1, 4);
    assertThat(look(two, small)).isInstanceOf(RenewalResult.Queued.class);

    await(() -> look(two, small) instanceof Grant);
    assertThat(asleep(silent, other)).isEqualTo(2);
    HoldId come = held(one, 1, 4);
    assertThat(look(frozen, silent)).isInstanceOf(RenewalResult.Queued.class);
    HoldId late = waiting(two, 1, 4);
    assertThat(asleep(silent)).isZero();
    one.release("a", first);
    one.release("a", come);
    two.release("a", small);
    assertThat(granted(frozen)).isEqualTo(silent);
    assertThat(look(frozen, silent)).isInstanceOf(Grant.class);
    assertThat(look(two, late)).isInstanceOf(RenewalResult.Queued.class);
    assertThat(look(frozen, other)).isInstanceOf(RenewalResult.Queued.class);
    assertThat(releasedTo(frozen, silent)).isEqualTo(other);
    frozen.close();
  }

  @Test
  void w2_aSilentWaiterKeepsNobodyOutWhoDoesNotWait() throws Exception {
    held(one, 1, ALL);
    HoldId silent = waiting(one, 1, 1);
    Attempt reader = part(two.id(), 1, ALL);
    assertThat(two.backend.attempt(reader)).isInstanceOf(AttemptResult.Busy.class);
    await(() -> two.backend.attempt(reader) instanceof Grant);
    assertThat(asleep(silent)).isEqualTo(1);
  }

  @Undisturbed(millis = 300)
  void r2_aWriterThatShowsItselfIsNotPassed() throws Exception {
    showItself(1);
  }

  @Undisturbed(millis = 300)
  void r2_aLargeRequestThatShowsItselfIsNotPassed() throws Exception {
    showItself(4);
  }

  private void showItself(int capacity) throws Exception {
    held(one, 1, 4);
    HoldId alive = waiting(one, capacity, capacity);
    HoldId small = waiting(two, 1, 4);
    for (int i = 0; i < 7; i++) {
      Thread.sleep(700);
      assertThat(look(one, alive)).isInstanceOf(RenewalResult.Queued.class);
      assertThat(look(two, small)).isInstanceOf(RenewalResult.Queued.class);
    }
    assertThat(two.backend.attempt(part(two.id(), 1, 4))).isInstanceOf(AttemptResult.Busy.class);
  }

  @Undisturbed(millis = 300)
  void w9_aLookWritesOnlyForAWaiterThatKeepsOthersOut() throws Exception {
    HoldId alone = held(one, 1, 1);
    HoldId reader = waiting(one, 1, ALL);
    HoldId writer = waiting(two, 1, 1);
    waiting(one, 1, ALL);
    assertThat(isWritten(two, writer)).isFalse();
    one.release("a", alone);
    assertThat(look(one, reader)).isInstanceOf(Grant.class);
    assertThat(isWritten(two, writer)).isTrue();
    assertThat(isWritten(one, waiting(one, 1, ALL))).isFalse();
  }

  private boolean isWritten(TestClient client, HoldId waiter) throws InterruptedException {
    long until = keptUntil(waiter);
    Thread.sleep(700);
    assertThat(look(client, waiter)).isInstanceOf(RenewalResult.Queued.class);
    return keptUntil(waiter) > until;
  }
}
