package dev.interlock.tck.internal.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HistoryCheckerTest {

  @Test
  void anEmptyHistoryIsFine() {
    assertThat(HistoryChecker.overlap(List.of())).isEmpty();
    assertThat(HistoryChecker.tokenOrder(List.of())).isEmpty();
  }

  @Test
  void holdsThatFollowOneAnotherAreFine() {
    List<Hold> holds = List.of(hold("a", 1, 0, 10), hold("b", 2, 10, 20), hold("a", 3, 25, 30));
    assertThat(HistoryChecker.overlap(holds)).isEmpty();
    assertThat(HistoryChecker.tokenOrder(holds)).isEmpty();
  }

  @Test
  void twoOwnersAtOnceAreAViolation() {
    List<Hold> holds = List.of(hold("b", 2, 9, 20), hold("a", 1, 0, 10));
    assertThat(HistoryChecker.overlap(holds)).hasValueSatisfying(violation -> {
      assertThat(violation.first().owner()).isEqualTo("a");
      assertThat(violation.second().owner()).isEqualTo("b");
      assertThat(violation.lines()).hasSize(5);
      assertThat(violation.lines().get(0)).contains("a and b at once");
      assertThat(violation.lines().get(1)).contains("a had acquired", "token 1");
      assertThat(violation.lines().get(2)).contains("b had acquired", "token 2");
      assertThat(violation.lines().get(3)).contains("a called release");
    });
  }

  @Test
  void aHoldInsideALongerOneIsFoundBehindAnotherOfTheSameOwner() {
    List<Hold> holds = List.of(hold("a", 1, 0, 100), hold("a", 1, 10, 20), hold("b", 2, 50, 60));
    assertThat(HistoryChecker.overlap(holds))
        .hasValueSatisfying(violation -> assertThat(violation.first().end()).isEqualTo(100));
  }

  @Test
  void theRivalIsFoundAlsoWhenTheLatestHoldIsOnesOwn() {
    List<Hold> holds = List.of(hold("b", 1, 0, 40), hold("a", 2, 40, 90), hold("b", 3, 80, 85));
    assertThat(HistoryChecker.overlap(holds)).isPresent();
    // a ends last but is the owner itself; the one it overlaps ended earlier.
    List<Hold> hidden = List.of(hold("a", 1, 0, 100), hold("b", 2, 10, 50), hold("a", 3, 40, 45));
    assertThat(HistoryChecker.overlap(hidden)).isPresent();
  }

  @Test
  void entriesOfOneOwnerMayOverlap() {
    List<Hold> holds = List.of(hold("a", 7, 0, 30), hold("a", 7, 10, 20));
    assertThat(HistoryChecker.overlap(holds)).isEmpty();
    assertThat(HistoryChecker.tokenOrder(holds)).isEmpty();
  }

  @Test
  void differentNamesHaveNothingToDoWithEachOther() {
    Hold other = new Hold("other", "b", 1, 5, 100, 8);
    assertThat(HistoryChecker.overlap(List.of(hold("a", 5, 0, 10), other))).isEmpty();
    assertThat(HistoryChecker.tokenOrder(List.of(hold("a", 5, 0, 10), other))).isEmpty();
  }

  @Test
  void aHoldEndsWithItsValidityEvenIfItIsReleasedLater() {
    Hold expired = new Hold("lock", "a", 1, 0, 10, 50);
    assertThat(expired.end()).isEqualTo(10);
    assertThat(HistoryChecker.overlap(List.of(expired, hold("b", 2, 10, 20)))).isEmpty();
    Hold never = new Hold("lock", "a", 1, 0, 10, Hold.NEVER);
    assertThat(HistoryChecker.overlap(List.of(never, hold("b", 2, 9, 20))))
        .hasValueSatisfying(violation ->
            assertThat(violation.lines()).anyMatch(line -> line.contains("valid until here")));
  }

  @Test
  void aHoldThatHadExpiredBeforeItWasReturnedGuardsNothing() {
    Hold late = new Hold("lock", "a", 1, 15, 10, Hold.NEVER);
    assertThat(HistoryChecker.overlap(List.of(late, hold("b", 2, 11, 20)))).isEmpty();
    assertThat(HistoryChecker.tokenOrder(List.of(late, hold("b", 2, 11, 20)))).isEmpty();
  }

  @Test
  void aTokenThatStandsStillOrFallsIsAViolation() {
    List<Hold> same = List.of(hold("a", 5, 0, 10), hold("b", 5, 10, 20));
    assertThat(HistoryChecker.tokenOrder(same)).isPresent();
    List<Hold> fallen = List.of(hold("a", 5, 0, 10), hold("b", 9, 10, 20), hold("a", 7, 20, 30));
    assertThat(HistoryChecker.tokenOrder(fallen))
        .hasValueSatisfying(
            violation -> assertThat(violation.lines().get(0)).contains("7 came after 9"));
  }

  @Test
  void theSameOwnerNeedsANewTokenForANewHold() {
    List<Hold> holds = List.of(hold("a", 5, 0, 10), hold("a", 5, 12, 20));
    assertThat(HistoryChecker.tokenOrder(holds)).isPresent();
  }

  @Test
  void aHoldThatBeginsWhenTheOwnersOuterOneEndsIsNoReentry() {
    List<Hold> holds = List.of(hold("a", 5, 0, 10), hold("a", 5, 10, 20));
    assertThat(HistoryChecker.tokenOrder(holds)).isPresent();
  }

  @Test
  void theOuterEntryAllowsMoreThanOneInner() {
    List<Hold> holds = List.of(hold("a", 7, 0, 90), hold("a", 7, 10, 20), hold("a", 7, 30, 40));
    assertThat(HistoryChecker.tokenOrder(holds)).isEmpty();
  }

  @Test
  void aHoldWithoutLengthGuardsNothing() {
    Hold empty = hold("b", 2, 5, 5);
    assertThat(HistoryChecker.overlap(List.of(hold("a", 3, 0, 10), empty))).isEmpty();
    assertThat(HistoryChecker.tokenOrder(List.of(hold("a", 3, 0, 10), empty))).isEmpty();
  }

  @Test
  void ofViolationsOnSeveralNamesTheEarliestIsTold() {
    List<Hold> holds = new ArrayList<>();
    for (int i = 9; i > 0; i--) {
      holds.add(new Hold("lock-" + i, "a", 1, i * 100L, Hold.NEVER, i * 100L + 50));
      holds.add(new Hold("lock-" + i, "b", 2, i * 100L + 40, Hold.NEVER, i * 100L + 60));
    }
    assertThat(HistoryChecker.overlap(holds))
        .hasValueSatisfying(
            violation -> assertThat(violation.second().acquired()).isEqualTo(140));
  }

  @Test
  void aViolationIsToldInTheOrderOfTimeInMilliseconds() {
    Hold first = new Hold("lock", "a", 0, 2_000_000, 5_000_000, 5_000_000);
    Hold second = new Hold("lock", "b", 8, 3_500_000, 4_000_000, 9_000_000);
    assertThat(HistoryChecker.overlap(List.of(first, second)).orElseThrow().lines())
        .containsExactly(
            "\"lock\" was held by a and b at once",
            "      +0.000 ms  a had acquired \"lock\"",
            "      +1.500 ms  b had acquired \"lock\" with token 8",
            "      +2.000 ms  b's lease was valid until here",
            "      +3.000 ms  a called release");
  }

  @Test
  void oneFaultAmongManyHoldsIsFoundAndIsTheEarliest() {
    List<Hold> holds = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      int end = i == 70_000 || i == 90_000 ? 11 : 9;
      holds.add(hold("owner-" + i % 7, i, 10L * i, 10L * i + end));
    }
    Collections.shuffle(holds, new Random(1));
    assertThat(HistoryChecker.tokenOrder(holds)).isEmpty();
    assertThat(HistoryChecker.overlap(holds))
        .hasValueSatisfying(
            violation -> assertThat(violation.first().acquired()).isEqualTo(700_000));
  }

  @Test
  void readersHoldTogetherAndAWriterAlone() {
    Hold first = reader("a", 1, 0, 20);
    Hold second = reader("b", 2, 5, 30);
    assertThat(HistoryChecker.units(List.of(first, second, hold("c", 3, 30, 40))))
        .isEmpty();
    assertThat(HistoryChecker.units(List.of(first, second, hold("c", 3, 29, 40))))
        .hasValueSatisfying(violation -> assertThat(violation.lines().get(0))
            .isEqualTo("\"lock\": 2 units of 1 were held by 2 holders at once"));
    assertThat(HistoryChecker.units(List.of(hold("c", 3, 0, 10), reader("d", 4, 9, 20))))
        .isPresent();
  }

  @Test
  void permitsAreCountedUpToTheSmallestSizeOfTheirHolders() {
    Hold three = hold("a", 1, 0, 20).withUnits(3, 4);
    assertThat(HistoryChecker.units(List.of(three, hold("b", 2, 5, 30).withUnits(1, 4))))
        .isEmpty();
    assertThat(HistoryChecker.units(List.of(three, hold("b", 2, 5, 30).withUnits(2, 4))))
        .isPresent();
    assertThat(HistoryChecker.units(List.of(three, hold("b", 2, 5, 30).withUnits(1, 3))))
        .isPresent();
    assertThat(HistoryChecker.units(
            List.of(hold("a", 1, 0, 20).withUnits(1, 3), hold("b", 2, 5, 30).withUnits(3, 4))))
        .isPresent();
  }

  @Test
  void tokensOfReadersThatMeetAreInNoOrderAndThoseOfWritersAre() {
    List<Hold> met = List.of(reader("a", 6, 0, 20), reader("b", 5, 1, 30));
    assertThat(HistoryChecker.tokenOrder(met)).isEmpty();
    assertThat(HistoryChecker.tokenOrder(
            List.of(reader("a", 6, 0, 20), reader("b", 4, 1, 30), hold("c", 5, 40, 50))))
        .isPresent();
    assertThat(HistoryChecker.tokenOrder(List.of(hold("c", 5, 0, 10), reader("a", 4, 10, 20))))
        .isPresent();
  }

  private static Hold reader(String owner, long token, long acquired, long released) {
    return hold(owner, token, acquired, released).withUnits(1, Integer.MAX_VALUE);
  }

  private static Hold hold(String owner, long token, long acquired, long released) {
    return new Hold("lock", owner, token, acquired, Long.MAX_VALUE, released);
  }
}
