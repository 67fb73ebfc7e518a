package dev.interlock.quorum.internal.hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockConfig;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.contract.Undisturbed;
import dev.interlock.quorum.SteeredMembers;
import dev.interlock.quorum.SteeredProvider;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What gives a vote back is without an answer, and reaches the member later than what follows. */
@Timeout(30)
class LateGiveBackTest {
  private static final String NAME = "a";

  /** Longer than the test: nothing ends by itself. */
  private static final Duration LEASE = Duration.ofSeconds(50);

  private static final AtomicInteger TESTS = new AtomicInteger();
  private static final AtomicLong IDS = new AtomicLong();

  private final String letter = "late" + TESTS.incrementAndGet() + "-";
  private final List<SteeredProvider.Steered> ours = SteeredProvider.of("ours", letter, 3);
  private final List<SteeredProvider.Steered> theirs = SteeredProvider.of("theirs", letter, 3);
  private final Queue<HoldId> woken = new ConcurrentLinkedQueue<>();
  private LockBackend our;
  private LockBackend their;
  private LockBackend first;

  @BeforeEach
  void open() {
    first = open("first", "local://?namespace=" + letter + 0);
    String quorum = SteeredProvider.quorum(letter + 0, letter + 1, letter + 2);
    our = open("ours", quorum);
    their = open("theirs", quorum);
    Attempt calm = attempt();
    assertThat(our.attempt(calm)).isInstanceOf(Grant.class);
    assertThat(our.release(NAME, calm.id())).isTrue();
    ours.forEach(member -> await(() -> member.releases() == 1));
    advanceLast();
  }

  /** Makes the last member's tokens the largest: to raise one would show what is in doubt, too. */
  private void advanceLast() {
    try (LockBackend last = open("last", "local://?namespace=" + letter + 2)) {
      Attempt other = Attempt.of("b", attempt().id(), "owner", LEASE).withTokens(1_000);
      assertThat(last.attempt(other)).isInstanceOf(Grant.class);
    }
  }

  @AfterEach
  void close() {
    ours.forEach(member -> member.delaysAbandonments(false));
    our.close();
    their.close();
    first.close();
  }

  private LockBackend open(String client, String uri) {
    LockBackend opened =
        BackendContext.of(new ClientId(client, "test")).open(LockConfig.parse(uri));
    opened.subscribe(new BackendEvents() {
      @Override
      public void granted(Grant grant, long notBeforeNanos) {
        woken.add(grant.id());
      }

      @Override
      public void wake(String name, HoldId id) {
        woken.add(id);
      }

      @Override
      public void revoked(String name, HoldId id) {}

      @Override
      public void inDoubt() {}
    });
    return opened;
  }

  private static Attempt attempt() {
    return Attempt.of(NAME, new HoldId(1, IDS.incrementAndGet()), "owner", LEASE);
  }

  /** An attempt that found the first member held, with what gives its early votes back delayed. */
  private Attempt held(Attempt holder, int... delayed) throws InterruptedException {
    assertThat(first.attempt(holder)).isInstanceOf(Grant.class);
    for (int member : delayed) {
      ours.get(member).delaysAbandonments(true);
    }
    Attempt waiting = attempt().withPatience(LEASE);
    assertThat(our.attempt(waiting)).isInstanceOf(AttemptResult.Queued.class);
    for (int member : delayed) {
      while (ours.get(member).underWay() == 0) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      ours.get(member).delaysAbandonments(false);
    }
    return waiting;
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static AttemptResult tried(LockBackend backend, Attempt attempt) {
    try {
      return backend.attempt(attempt);
    } catch (OutcomeUnknownException e) {
      return AttemptResult.busy(Duration.ZERO);
    }
  }

  @Test
  @DisplayName("a vote that may yet be given back does not count")
  void doesNotCount() throws Exception {
    expectOneHolder();
  }

  @Test
  @DisplayName("nor if it was asked for before giving it back was without an answer")
  void doesNotCountLater() throws Exception {
    ours.get(2).patience(Duration.ofMillis(300));
    expectOneHolder();
  }

  private void expectOneHolder() throws InterruptedException {
    Attempt holder = attempt();
    Attempt waiting = held(holder, 2);
    ours.get(1).down(true);
    assertThat(first.release(NAME, holder.id())).isTrue();
    AttemptResult ourResult = tried(our, waiting);
    ours.get(2).arrive();
    theirs.get(0).down(true);
    AttemptResult theirResult = tried(their, attempt());
    assertThat(List.of(ourResult, theirResult))
        .filteredOn(Grant.class::isInstance)
        .hasSizeLessThan(2);
    theirs.get(0).down(false);
  }

  @Test
  @DisplayName("nor is it renewed for a hold that others have granted")
  void isNotRenewed() throws Exception {
    Attempt holder = attempt();
    Attempt waiting = held(holder, 2);
    assertThat(first.release(NAME, holder.id())).isTrue();
    assertThat(our.attempt(waiting)).isInstanceOf(Grant.class);
    ours.get(1).down(true);
    Renewal renewal = Renewal.of(NAME, waiting.id(), LEASE, false);
    assertThatThrownBy(() -> RenewalAnswers.collect(our, List.of(renewal)))
        .isInstanceOf(OutcomeUnknownException.class);
    ours.get(1).down(false);
    await(() -> renewed(renewal) instanceof Grant);
  }

  @Test
  @DisplayName("the member counts for the hold again, by another id, once that is renewed")
  void countsAgain() throws Exception {
    Attempt holder = attempt();
    Attempt waiting = held(holder, 2);
    assertThat(first.release(NAME, holder.id())).isTrue();
    assertThat(our.attempt(waiting)).isInstanceOf(Grant.class);
    Renewal renewal = Renewal.of(NAME, waiting.id(), LEASE, false);
    while (ours.get(2).attempts(NAME).stream().allMatch(this::isKnown)) {
      assertThat(RenewalAnswers.collect(our, List.of(renewal)).get(0)).isInstanceOf(Grant.class);
      TimeUnit.MILLISECONDS.sleep(1);
    }
    ours.get(2).arrive();
    ours.get(1).down(true);
    while (!(renewed(renewal) instanceof Grant)) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    assertThat(our.release(NAME, waiting.id())).isTrue();
    ours.get(1).down(false);
    while (!(their.attempt(attempt()) instanceof Grant)) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }

  @Test
  @DisplayName("what the member has by an earlier id is asked for until that is answered")
  void givesBackByTheEarlierIdToo() throws Exception {
    Attempt holder = attempt();
    Attempt waiting = held(holder, 2);
    assertThat(first.release(NAME, holder.id())).isTrue();
    assertThat(our.attempt(waiting)).isInstanceOf(Grant.class);
    Renewal renewal = Renewal.of(NAME, waiting.id(), LEASE, false);
    SteeredProvider.Steered last = ours.get(2);
    while (last.attempts(NAME).stream().allMatch(this::isKnown)) {
      assertThat(RenewalAnswers.collect(our, List.of(renewal)).get(0)).isInstanceOf(Grant.class);
      TimeUnit.MILLISECONDS.sleep(1);
    }
    int lost = last.underWay();
    last.delaysAbandonments(true);
    assertThat(our.release(NAME, waiting.id())).isTrue();
    while (last.underWay() < lost + 2) { // then nobody asks the member anything any more
      TimeUnit.MILLISECONDS.sleep(1);
    }
    last.delaysAbandonments(false);
    try (LockBackend member = open("last", "local://?namespace=" + letter + 2)) {
      while (member.inspect(NAME).isPresent()) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
    }
  }

  @Undisturbed(millis = 500)
  @DisplayName("a vote that runs later than what gives it back is given back once more")
  void givesBackAVoteThatRunsLater() throws Exception {
    SteeredProvider.Steered last = ours.get(2);
    last.delaysAttempts(true);
    Attempt attempt = attempt();
    assertThat(our.attempt(attempt)).isInstanceOf(Grant.class);
    while (last.underWay() == 0) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    last.delaysAttempts(false);
    int before = last.releases();
    assertThat(our.release(NAME, attempt.id())).isTrue();
    while (last.releases() == before) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    try (LockBackend member = open("last", "local://?namespace=" + letter + 2)) {
      last.arrive();
      while (member.inspect(NAME).isPresent()) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
    }
  }

  private boolean isKnown(HoldId id) {
    return id.low() > 0 && id.low() <= IDS.get();
  }

  private RenewalResult renewed(Renewal renewal) {
    try {
      return RenewalAnswers.collect(our, List.of(renewal)).get(0);
    } catch (OutcomeUnknownException e) {
      return RenewalResult.failed(e);
    }
  }

  @Test
  @DisplayName("what is abandoned after all is forgotten goes by the id that the members know")
  void remembersOtherIds() {
    Standings standings = new Standings(3, new Debts());
    Standing plain = standings.of(NAME, attempt().id());
    standings.remove(plain);
    assertThat(standings.of(NAME, plain.id())).isNotSameAs(plain);
    Standing renamed = standings.rename(standings.of(NAME, plain.id()));
    standings.remove(renamed);
    assertThat(standings.of(NAME, plain.id())).isSameAs(renamed);
  }

  @Test
  @DisplayName("an attempt goes on by another id where too few members are left for its own")
  void goesOnByAnotherId() throws Exception {
    Attempt holder = attempt();
    Attempt waiting = held(holder, 1, 2);
    goOn(waiting);
    woken.clear();
    assertThat(first.release(NAME, holder.id())).isTrue();
    while (!woken.contains(waiting.id())) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    AttemptResult granted = our.attempt(waiting);
    assertThat(granted).isInstanceOf(Grant.class);
    assertThat(((Grant) granted).id()).isEqualTo(waiting.id());
    ours.forEach(SteeredProvider.Steered::arrive);
    for (int member = 0; member < 3; member++) {
      theirs.get(member).down(true);
      assertThat(tried(their, attempt())).as("without %d", member).isNotInstanceOf(Grant.class);
      theirs.get(member).down(false);
    }
    Renewal renewal = Renewal.of(NAME, waiting.id(), LEASE, false);
    RenewalResult renewed = RenewalAnswers.collect(our, List.of(renewal)).get(0);
    assertThat(renewed).isInstanceOf(Grant.class);
    assertThat(our.release(NAME, waiting.id())).isTrue();
    assertThat(their.attempt(attempt())).isInstanceOf(Grant.class);
    assertThat(our.release(NAME, waiting.id())).isFalse();
  }

  /** Asks until both members count as doubtful, which they do once their time is over. */
  private void goOn(Attempt waiting) {
    List<HoldId> ids;
    do {
      assertThat(our.attempt(waiting)).isInstanceOf(AttemptResult.Queued.class);
      ids = ours.get(0).attempts(NAME);
    } while (ids.get(ids.size() - 1).equals(waiting.id()));
  }

  @Test
  @DisplayName("a refused connection leaves nothing in doubt: the vote is asked for again")
  void asksAgainAfterARefusal() throws Exception {
    Attempt holder = attempt();
    assertThat(first.attempt(holder)).isInstanceOf(Grant.class);
    ours.get(2).down(true);
    Attempt waiting = attempt().withPatience(LEASE);
    assertThat(our.attempt(waiting)).isInstanceOf(AttemptResult.Queued.class);
    while (ours.get(2).refused() == 0) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    ours.get(2).down(false);
    await(() -> SteeredMembers.membersOf(our).all().get(2).isLive());
    ours.get(1).down(true);
    assertThat(first.release(NAME, holder.id())).isTrue();
    assertThat(our.attempt(waiting)).isInstanceOf(Grant.class);
  }

  @Test
  @DisplayName("abandoned by the engine's id, nothing of either id is left")
  void leavesNothing() throws Exception {
    Attempt holder = attempt();
    Attempt waiting = held(holder, 1, 2);
    goOn(waiting);
    our.abandon(NAME, waiting.id());
    assertThat(first.release(NAME, holder.id())).isTrue();
    Attempt next = attempt();
    while (!(their.attempt(next) instanceof Grant)) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    assertThat(their.release(NAME, next.id())).isTrue();
  }
}
