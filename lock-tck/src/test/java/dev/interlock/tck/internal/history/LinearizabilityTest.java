package dev.interlock.tck.internal.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.tck.internal.history.Judgement.Answer;
import dev.interlock.tck.internal.history.Operation.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LinearizabilityTest {

  @Test
  void nothingAndOneAfterTheOtherAreFine() {
    expect(Answer.YES);
    expect(
        Answer.YES,
        acquired("a", 1, 0, 1),
        released("a", 2, 3),
        acquired("b", 2, 4, 5),
        released("b", 6, 7));
  }

  @Test
  void callsThatOverlapMayHaveHappenedInAnyOrder() {
    expect(
        Answer.YES,
        acquired("b", 2, 0, 10),
        acquired("a", 1, 1, 5),
        released("a", 6, 9),
        released("b", 11, 12));
  }

  @Test
  void twoHoldersAtOnceHaveNoOrder() {
    expect(
        Answer.NO,
        acquired("a", 1, 0, 1),
        acquired("b", 2, 2, 3),
        released("a", 4, 5),
        released("b", 6, 7));
  }

  @Test
  void entriesOfOneOwnerNeedAsManyReleasesAndKeepTheToken() {
    expect(
        Answer.YES,
        acquired("a", 1, 0, 1),
        acquired("a", 1, 2, 3),
        released("a", 4, 5),
        released("a", 6, 7),
        acquired("b", 2, 8, 9));
    expect(
        Answer.NO,
        acquired("a", 1, 0, 1),
        acquired("a", 1, 2, 3),
        released("a", 4, 5),
        acquired("b", 2, 8, 9));
    expect(Answer.NO, acquired("a", 1, 0, 1), acquired("a", 2, 2, 3));
  }

  @Test
  void tokensMustGrow() {
    expect(Answer.NO, acquired("a", 5, 0, 1), released("a", 2, 3), acquired("b", 5, 4, 5));
    expect(Answer.NO, acquired("a", 5, 0, 1), released("a", 2, 3), acquired("b", 4, 4, 5));
    expect(Answer.YES, acquired("a", 0, 0, 1), released("a", 2, 3), acquired("b", 0, 4, 5));
  }

  @Test
  void aRefusalNeedsAnotherHolder() {
    expect(Answer.YES, acquired("a", 1, 0, 1), refused("b", 2, 3), released("a", 4, 5));
    expect(Answer.NO, refused("b", 0, 1), acquired("a", 1, 2, 3));
    expect(Answer.NO, acquired("a", 1, 0, 1), refused("a", 2, 3));
    // It overlaps the hold, so it may have been while that lasted.
    expect(Answer.YES, refused("b", 0, 9), acquired("a", 1, 2, 3), released("a", 4, 5));
  }

  @Test
  void aReleaseNeedsAHolder() {
    expect(Answer.NO, released("a", 0, 1));
    expect(Answer.NO, acquired("a", 1, 0, 1), released("b", 2, 3));
  }

  @Test
  void whatWasNotAnsweredMayHaveHappenedOrNot() {
    Operation open = new Operation(Kind.RELEASED, "lock", "a", 0, 2, Long.MAX_VALUE);
    expect(Answer.YES, acquired("a", 1, 0, 1), open, acquired("b", 2, 5, 6));
    expect(Answer.YES, acquired("a", 1, 0, 1), open, refused("b", 5, 6));
    expect(Answer.NO, acquired("a", 1, 0, 1), open, acquired("b", 2, 5, 6), acquired("c", 3, 7, 8));
  }

  @Test
  void namesHaveNothingToDoWithEachOther() {
    Operation other = new Operation(Kind.ACQUIRED, "other", "b", 1, 2, 3);
    expect(Answer.YES, acquired("a", 1, 0, 1), other);
  }

  @Test
  void aViolationAmongManyCallsIsFoundAndShownAlone() {
    List<Operation> calls = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      long at = 100L * i;
      // Each begins to wait before the one before it has released.
      calls.add(acquired("owner-" + i % 5, i + 1, at - 60, at));
      calls.add(released("owner-" + i % 5, at + 10, at + 20));
    }
    Collections.shuffle(calls, new Random(1));
    assertThat(Linearizability.check(calls).answer()).isEqualTo(Answer.YES);
    calls.add(acquired("thief", 1_000, 30_005, 30_008));
    Judgement result = Linearizability.check(calls);
    assertThat(result.answer()).isEqualTo(Answer.NO);
    assertThat(result.lines()).hasSizeLessThan(8).anyMatch(line -> line.contains("thief acquired"));
    assertThat(result.lines().get(0)).contains("no order of these calls on \"lock\"");
  }

  @Test
  void aCallThatBeginsWhenAnotherEndsMayHaveHappenedBeforeIt() {
    expect(Answer.YES, acquired("a", 1, 0, 1), acquired("b", 2, 2, 5), released("a", 5, 6));
  }

  @Test
  void withoutTheirTokensTokensOutOfOrderAreFine() {
    List<Operation> calls = List.of(acquired("a", 5, 0, 1), released("a", 2, 3));
    Operation same = acquired("b", 5, 4, 5);
    expect(Answer.NO, calls.get(0), calls.get(1), same);
    expect(Answer.YES, calls.get(0).withoutToken(), calls.get(1), same.withoutToken());
  }

  @Test
  void whatWasOverBeforeTheViolationIsNotShown() {
    assertThat(shown(
            acquired("a", 1, 0, 1_000_000),
            released("a", 2_000_000, 3_000_000),
            refused("b", 4_000_000, 5_500_000),
            acquired("c", 2, 6_000_000, 7_000_000)))
        .containsExactly(
            "no order of these calls on \"lock\" explains their answers",
            "      +0.000 ms to +1.500 ms  b was refused");
  }

  @Test
  void whatTheViolationNeedsIsShownWhole() {
    assertThat(shown(
            acquired("z", 3, 0, 100_000),
            released("z", 200_000, 300_000),
            acquired("a", 5, 1_000_000, 2_000_000),
            released("a", 3_000_000, 4_000_000),
            acquired("b", 5, 5_000_000, 6_000_000),
            released("b", 7_000_000, 8_000_000)))
        .containsExactly(
            "no order of these calls on \"lock\" explains their answers",
            "      +0.000 ms to +1.000 ms  a acquired with token 5",
            "      +2.000 ms to +3.000 ms  a released",
            "      +4.000 ms to +5.000 ms  b acquired with token 5");
  }

  @Test
  void aRefusalThatAHoldExplainsIsNotShownWithoutIt() {
    assertThat(shown(
            acquired("a", 0, 0, 1_000_000),
            refused("b", 500_000, 7_200_000),
            released("a", 2_000_000, 3_000_000),
            acquired("c", 0, 5_000_000, 6_000_000),
            acquired("d", 0, 7_000_000, 8_000_000),
            released("c", 7_500_000, 9_000_000),
            acquired("e", 0, 8_200_000, 8_500_000)))
        .containsExactly(
            "no order of these calls on \"lock\" explains their answers",
            "      +0.000 ms to +1.000 ms  c acquired",
            "      +2.000 ms to +3.000 ms  d acquired",
            "      +2.500 ms to not answered  c released",
            "      +3.200 ms to +3.500 ms  e acquired");
  }

  private static List<String> shown(Operation... calls) {
    Judgement judgement = Linearizability.check(List.of(calls));
    assertThat(judgement.answer()).isEqualTo(Answer.NO);
    return judgement.lines();
  }

  @Test
  void aSearchThatGetsTooLongIsGivenUp() {
    List<Operation> calls = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      calls.add(acquired("owner-" + i, 24 - i, 0, 1_000));
      calls.add(released("owner-" + i, 0, 1_000));
    }
    calls.add(refused("nobody", 2_000, 2_001));
    assertThat(Linearizability.check(calls).answer()).isEqualTo(Answer.UNDECIDED);
  }

  private static void expect(Answer answer, Operation... calls) {
    List<Operation> shuffled = new ArrayList<>(List.of(calls));
    Collections.shuffle(shuffled, new Random(calls.length));
    assertThat(Linearizability.check(shuffled).answer()).isEqualTo(answer);
  }

  private static Operation acquired(String owner, long token, long called, long returned) {
    return new Operation(Kind.ACQUIRED, "lock", owner, token, called, returned);
  }

  private static Operation refused(String owner, long called, long returned) {
    return new Operation(Kind.REFUSED, "lock", owner, 0, called, returned);
  }

  private static Operation released(String owner, long called, long returned) {
    return new Operation(Kind.RELEASED, "lock", owner, 0, called, returned);
  }
}
