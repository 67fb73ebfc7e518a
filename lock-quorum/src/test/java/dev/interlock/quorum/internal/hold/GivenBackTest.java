package dev.interlock.quorum.internal.hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.quorum.SteeredProvider;
import dev.interlock.quorum.ThreeRedis;
import dev.interlock.quorum.internal.member.Member;
import dev.interlock.quorum.internal.member.Members;
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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a quorum gives back to its members, and what it must not. */
@Timeout(30)
class GivenBackTest {
  private static final String NAME = "a";

  /** Longer than the test: nothing ends by itself. */
  private static final Duration LEASE = Duration.ofSeconds(50);

  private static final String CLIENT = "0000111122223333";

  private static final AtomicLong IDS = new AtomicLong();

  private final Debts debts = new Debts();
  private final List<Members> opened = new ArrayList<>();
  private ThreeRedis redis;

  @BeforeEach
  void start() {
    redis = new ThreeRedis();
  }

  @AfterEach
  void stop() {
    opened.forEach(Members::close);
    redis.close();
  }

  private static BackendContext context() {
    return BackendContext.of(new ClientId(CLIENT, "host:1"));
  }

  private static Attempt attempt() {
    return Attempt.of(NAME, new HoldId(IDS.incrementAndGet(), 1), "owner", LEASE);
  }

  @Test
  @DisplayName("a vote is not given back that was asked for after giving it back had failed")
  void keepsVotesAskedForAgain() throws Exception {
    Member member = open(redis.uri("redis-setnx", ""));
    Attempt ours = attempt();
    Standing standing = new Standing(NAME, ours.id(), 1, debts);
    CompletableFuture<Boolean> early = unanswered(standing, member);
    CompletableFuture<Boolean> late = unanswered(standing, member);

    assertThat(standing.owes(member, early)).as("another was asked since").isFalse();
    assertThat(standing.owes(member, late)).isTrue();
    assertThat(vote(standing, member, ours)).isInstanceOf(Grant.class);
    assertThat(standing.owes(member, late)).as("it was asked for again").isFalse();
    assertThat(standing.pay(member).join()).as("nothing is to be given back").isFalse();
    assertThat(member.call(open -> open.inspect(NAME)).join()).isPresent();
  }

  @Test
  @DisplayName("what was to be given back is not, once it is part of a hold that counts it")
  void keepsWhatHasBecomePartOfTheHold() throws Exception {
    Member member = member("part");
    Attempt ours = attempt();
    Standing standing = standing(ours);
    assertThat(vote(standing, member, ours)).isInstanceOf(Grant.class);
    assertThat(standing.owes(member, unanswered(standing, member))).isTrue();

    standing.holds(ours, 1, System.nanoTime(), System.currentTimeMillis());

    assertThat(standing.pay(member).join()).isFalse();
    assertThat(member.call(open -> open.inspect(NAME)).join()).isPresent();
  }

  @Test
  @DisplayName("debts that are over keep nobody from getting back what is left to give back")
  void paysBehindThoseThatAreOver() throws Exception {
    Member member = member("behind");
    Attempt ours = attempt();
    Standing standing = standing(ours);
    assertThat(vote(standing, member, ours)).isInstanceOf(Grant.class);
    List<Standing> before = Stream.generate(() -> standing(attempt())).limit(3).toList();
    SteeredProvider.Steered way = SteeredProvider.of(CLIENT, "behind0");
    way.down(true); // it is not paid before all are over
    before.forEach(debt -> debts.owes(member, debt, unanswered(debt, member)));
    debts.owes(member, standing, unanswered(standing, member));
    for (Standing debt : before) {
      var unused = unanswered(debt, member); // it is asked again, so nothing is to be given back
    }

    way.down(false);
    assertThat(member.call(open -> true).join()).isTrue();
    try (LockBackend direct = context().open("local://?namespace=behind0")) {
      while (direct.inspect(NAME).isPresent()) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
    }
  }

  @Test
  @DisplayName("what could not be given back is, though nobody asks the member for anything else")
  void paysUnasked() throws Exception {
    Member member = member("unasked");
    Attempt ours = attempt();
    Standing standing = standing(ours);
    assertThat(vote(standing, member, ours)).isInstanceOf(Grant.class);
    debts.owes(member, standing, unanswered(standing, member));
    try (LockBackend direct = context().open("local://?namespace=unasked0")) {
      while (direct.inspect(NAME).isPresent()) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
    }
  }

  @Test
  @DisplayName("debts to a member that refuses all have a bound, and those that are over go")
  void owesNoMoreThanItsBound() {
    Member member = member("bound");
    MemberDebts owed = new MemberDebts(member);
    for (int i = 0; i < 10; i++) {
      owed.add(new Standing(NAME, attempt().id(), 1, debts)); // over, for it was used for no lease
    }
    Standing first = owed(member);
    owed.add(first);
    assertThat(owed.size()).isEqualTo(1);
    Standing second = owed(member);
    owed.add(second);
    for (int i = 0; i < MemberDebts.MOST - 1; i++) {
      owed.add(second);
    }
    assertThat(owed.size()).isEqualTo(MemberDebts.MOST);
    assertThat(owed.next()).as("the oldest was left out").isSameAs(second);
  }

  @Test
  @DisplayName("M2: a hold that was taken by force from most members is given back on the others")
  void givesBackBehindForce() throws Exception {
    List<LockClient> members = new ArrayList<>();
    try (LockClient client = Locks.open(redis.uri("redis-setnx", ""))) {
      for (int i = 0; i < 3; i++) {
        members.add(Locks.open(redis.server(i).uri("redis-setnx")));
      }
      Lease lease = client.acquire(LockRequest.of(NAME).withLease(LEASE));
      for (LockClient member : members) {
        while (member.inspect(NAME).isEmpty()) {
          TimeUnit.MILLISECONDS.sleep(1);
        }
      }
      assertThat(members.get(0).forceRelease(NAME)).isTrue();
      assertThat(members.get(1).forceRelease(NAME)).isTrue();
      while (members.get(2).inspect(NAME).isPresent()) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      while (lease.isValid()) { // the holder is told on another thread
        TimeUnit.MILLISECONDS.sleep(1);
      }
    } finally {
      members.forEach(LockClient::close);
    }
  }

  /** The first member of a quorum. */
  private Member open(String uri) {
    Members members = Members.open(
        ThreeRedis.membership(uri), context(), any -> BackendEvents.IGNORED, debts::pay);
    opened.add(members);
    return members.all().get(0);
  }

  /** One of two members, in this JVM. */
  private Member member(String letter) {
    return open(SteeredProvider.quorum(letter + 0, letter + 1));
  }

  private Standing standing(Attempt attempt) {
    Standing standing = new Standing(NAME, attempt.id(), 1, debts);
    standing.uses(LEASE);
    return standing;
  }

  private Standing owed(Member member) {
    Standing standing = standing(attempt());
    assertThat(standing.owes(member, unanswered(standing, member))).isTrue();
    return standing;
  }

  private static AttemptResult vote(Standing standing, Member member, Attempt attempt) {
    return standing
        .ask(member, () -> member.call(open -> open.attempt(attempt)))
        .join();
  }

  private static CompletableFuture<Boolean> unanswered(Standing standing, Member member) {
    CompletableFuture<Boolean> failed = standing.ask(
        member,
        () -> CompletableFuture.failedFuture(new BackendUnavailableException("for the test")));
    assertThatThrownBy(failed::join).isInstanceOf(CompletionException.class);
    return failed;
  }
}
