package dev.interlock.quorum.internal.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HoldInfo;
import dev.interlock.LockConfig;
import dev.interlock.quorum.SteeredProvider;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which token the members' tokens make. */
@Timeout(60)
class GrantTokensTest {
  private static final Duration LEASE = Duration.ofSeconds(50);
  private static final String NAME = "a";
  private static final long FOREVER = Long.MAX_VALUE;

  /** A member: the last token that it has recorded, and how far its clock is ahead. */
  private static final class Counter {
    private final long ahead;
    private long last;

    Counter(long ahead) {
      this.ahead = ahead;
    }

    Grant grant(long now) {
      long before = last;
      last = Math.max(last + 1, now + ahead);
      return GrantTokensTest.grant(last).withLastToken(before);
    }
  }

  private static Grant grant(long token) {
    return Grant.of(NAME, new HoldId(1, 1), token, LEASE);
  }

  @ParameterizedTest
  @CsvSource({"2, 1000", "3, 1000", "4, 1000", "5, 1000", "7, 1000", "9, 1000", "3, 5", "5, 5"})
  @DisplayName("T1: tokens grow, whoever votes, whatever the clocks say")
  void growsOverAnyMajorities(int all, int apart) {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int need = all / 2 + 1;
    List<Counter> members = new ArrayList<>();
    for (int i = 0; i < all; i++) {
      members.add(new Counter(random.nextInt(apart)));
    }
    long before = 0;
    for (int hold = 1; hold <= 20_000; hold++) {
      Collections.shuffle(members, random);
      List<Counter> voters = members.subList(0, need + random.nextInt(all - need + 1));
      long now = 10L * hold;
      List<Grant> grants = voters.stream().map(voter -> voter.grant(now)).toList();
      long token = FencingTokens.next(grants, all - need, false, FOREVER, grants.size() < all);
      assertThat(token).as("seed %d, hold %d", seed, hold).isGreaterThan(before);
      // As few as may record it.
      for (Counter voter : voters) {
        if (voters.stream().filter(one -> one.last >= token).count() < need) {
          voter.last = Math.max(voter.last, token);
        }
      }
      before = token;
    }
  }

  @Test
  @DisplayName("the largest token counts where only clocks tell of earlier holds")
  void takesTheLargestOfTheYoung() {
    List<Grant> grants = List.of(grant(7), grant(9), grant(8));
    assertThat(FencingTokens.next(grants, 1, false, FOREVER, false)).isEqualTo(8);
    assertThat(FencingTokens.next(grants, 1, true, FOREVER, false)).isEqualTo(9);
    assertThat(FencingTokens.next(grants, 0, false, FOREVER, false)).isEqualTo(9);
    assertThat(FencingTokens.next(grants.subList(0, 2), 1, false, FOREVER, true))
        .isEqualTo(9);
  }

  @Test
  @DisplayName(
      "of few members the smallest token counts that is beyond all that they recorded before")
  void takesTheSmallestBeyondTheLast() {
    List<Grant> grants = List.of(grant(7).withLastToken(5), grant(9).withLastToken(6));
    assertThat(FencingTokens.next(grants, 1, false, FOREVER, true)).isEqualTo(7);
    assertThat(FencingTokens.next(grants, 1, false, FOREVER, false)).isEqualTo(9);
    assertThat(FencingTokens.next(grants, 1, true, FOREVER, true)).isEqualTo(9);
    assertThat(FencingTokens.next(grants, 0, false, FOREVER, true)).isEqualTo(9);
    assertThat(FencingTokens.next(grants, 1, false, 1, true)).isEqualTo(9);
    List<Grant> late = List.of(grant(7).withLastToken(5), grant(9).withLastToken(7));
    assertThat(FencingTokens.next(late, 1, false, FOREVER, true)).isEqualTo(9);
    List<Grant> unknown = List.of(grant(7).withLastToken(5), grant(9));
    assertThat(FencingTokens.next(unknown, 1, false, FOREVER, true)).isEqualTo(9);
  }

  @Test
  @DisplayName("T2: a member that was emptied waits long enough for its clock to make up for that")
  void growsOverAMemberThatForgot() {
    long longestLease = 60_000_000;
    Counter ahead = new Counter(5 * longestLease);
    Counter forgetful = new Counter(0);
    Counter away = new Counter(0);
    long now = 1_000_000_000;

    // One is away: the others record the token of the one that is ahead.
    long first = FencingTokens.next(
        List.of(ahead.grant(now), forgetful.grant(now)), 1, false, longestLease, true);
    forgetful.last = Math.max(forgetful.last, first);
    now += 1_000;
    long second = nextOf(List.of(ahead, forgetful, away), now, longestLease);
    assertThat(second).isGreaterThan(first);
    forgetful.last = 0;
    now += longestLease;
    assertThat(nextOf(List.of(ahead, forgetful, away), now, longestLease)).isGreaterThan(second);
  }

  private static long nextOf(List<Counter> voters, long now, long longestLease) {
    List<Grant> grants = voters.stream().map(voter -> voter.grant(now)).toList();
    return FencingTokens.next(grants, 1, false, longestLease, false);
  }

  @Test
  @DisplayName("where all vote, no token is raised, and what inspect tells is the lock's")
  void raisesNoneWhereAllVote() throws Exception {
    String[] names = {"tokens0", "tokens1", "tokens2"};
    List<SteeredProvider.Steered> ways = SteeredProvider.of("tokens", "tokens", 3);
    ClientId client = new ClientId("tokens", "test");
    try (LockBackend quorum =
        BackendContext.of(client).open(LockConfig.parse(SteeredProvider.quorum(names)))) {
      quorum.subscribe(BackendEvents.IGNORED);
      long last = 0;
      int quiet = 0;
      while (quiet < 20) { // at first the largest token counts, to which the others are raised
        int before = renewals(ways);
        advance(client, names[quiet % 3], 2_000);
        advance(client, names[(quiet + 1) % 3], 1_000);
        last = grantedOnce(quorum, last);
        boolean raised = renewals(ways) > before; // or the last one voted late
        quiet += raised ? 0 : 1;
        TimeUnit.MILLISECONDS.sleep(raised ? 100 : 1);
      }
    }
  }

  @Test
  @DisplayName(
      "M2: a token is not called that of no hold while the member that knows it is missing")
  void isNotForcedByATokenThatOnlyOneKnows() throws Exception {
    String[] names = {"forced0", "forced1", "forced2"};
    List<SteeredProvider.Steered> ways = SteeredProvider.of("forced", "forced", 3);
    ClientId client = new ClientId("forced", "test");
    try (LockBackend quorum =
        BackendContext.of(client).open(LockConfig.parse(SteeredProvider.quorum(names)))) {
      quorum.subscribe(BackendEvents.IGNORED);
      HoldId id = new HoldId(7, 1);
      long held;
      do { // until each member has its own token for the hold: at first all are raised to the
        // largest
        quorum.release(NAME, id);
        TimeUnit.MILLISECONDS.sleep(100);
        advance(client, names[0], 2_000);
        advance(client, names[1], 1_000);
        held = granted(quorum, id);
      } while (tokenAt(client, names[0], held) <= held || tokenAt(client, names[2], held) >= held);

      long token = held;
      ways.get(1).down(true);
      assertThatThrownBy(() -> quorum.forceRelease(NAME, token))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("may have this token");
      assertThat(quorum.forceRelease(NAME, 1)).isFalse();
      ways.get(1).down(false);
      while (!forced(quorum, token)) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
      assertThat(quorum.inspect(NAME)).isEmpty();
    }
  }

  private static long tokenAt(ClientId client, String member, long none) {
    try (LockBackend direct =
        BackendContext.of(client).open(LockConfig.parse("local://?namespace=" + member))) {
      return direct.inspect(NAME).map(HoldInfo::fencingToken).orElse(none);
    }
  }

  private static boolean forced(LockBackend quorum, long token) {
    try {
      return quorum.forceRelease(NAME, token);
    } catch (BackendUnavailableException e) {
      return false; // the member that was down is not asked again yet
    }
  }

  private static long granted(LockBackend quorum, HoldId id) {
    AttemptResult result = quorum.attempt(Attempt.of(NAME, id, "owner", LEASE));
    assertThat(result).isInstanceOf(Grant.class);
    return ((Grant) result).fencingToken();
  }

  /** Has a member take so many tokens, so that it grants larger ones than the others. */
  private static void advance(ClientId client, String member, int tokens) {
    try (LockBackend direct =
        BackendContext.of(client).open(LockConfig.parse("local://?namespace=" + member))) {
      direct.subscribe(BackendEvents.IGNORED);
      Attempt other = Attempt.of("b", new HoldId(8, 1), "owner", LEASE).withTokens(tokens);
      assertThat(direct.attempt(other)).isInstanceOf(Grant.class);
      assertThat(direct.release("b", other.id())).isTrue();
    }
  }

  private static int renewals(List<SteeredProvider.Steered> ways) {
    return ways.stream().mapToInt(SteeredProvider.Steered::renewals).sum();
  }

  private static long grantedOnce(LockBackend quorum, long before) {
    HoldId id = new HoldId(7, before + 1);
    long token = granted(quorum, id);
    assertThat(token).isGreaterThan(before);
    assertThat(quorum.inspect(NAME).map(HoldInfo::fencingToken)).contains(token);
    assertThat(quorum.release(NAME, id)).isTrue();
    return token;
  }
}
