package dev.interlock.quorum.internal.hold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.HoldInfo;
import dev.interlock.LockConfig;
import dev.interlock.LockRequest;
import dev.interlock.contract.Undisturbed;
import dev.interlock.quorum.SteeredProvider;
import dev.interlock.spi.Attempt;
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
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A member that lost a hold which the others have is given it again. */
@Timeout(60)
class RepairTest {
  private static final Duration LEASE = Duration.ofSeconds(50);
  private static final long LIMIT_NANOS = 20_000_000_000L;
  private static final String NAME = "a";
  private static final AtomicInteger RUNS = new AtomicInteger();
  private static final ClientId CLIENT = new ClientId("repair", "test");
  private static final ClientId OTHER = new ClientId("other", "test");

  private final Attempt attempt = Attempt.of(NAME, new HoldId(7, 1), "owner", LEASE);

  @Test
  @DisplayName("a member that lost a hold has it again behind a renewal")
  void repairs() throws Exception {
    String[] names = names();
    SteeredProvider.Steered way = SteeredProvider.of(CLIENT.id(), names[0]);
    try (LockBackend quorum = held(names)) {
      force(names[0]);

      renew(quorum);

      awaitRepair(way);
      await(names[0], true);
    }
  }

  @Test
  @DisplayName("N3: a forced release that meets the others behind their votes leaves nothing there")
  void leavesNothingBehindAForcedRelease() throws Exception {
    String[] names = names();
    SteeredProvider.Steered way = SteeredProvider.of(CLIENT.id(), names[0]);
    try (LockBackend quorum = held(names)) {
      force(names[0]);
      way.before(() -> {
        force(names[1]);
        force(names[2]);
      });

      renew(quorum);

      awaitRepair(way);
      await(names[0], false);
    }
  }

  @Test
  @DisplayName(
      "a hold that most members have lost is given back on the one that did not answer then")
  void leavesNothingOnAMemberThatWasDown() throws Exception {
    String[] names = names();
    SteeredProvider.Steered way = SteeredProvider.of(CLIENT.id(), names[2]);
    try (LockBackend quorum = held(names)) {
      for (int member = 0; member < 2; member++) {
        try (LockBackend direct = direct(names[member])) {
          assertThat(direct.release(NAME, attempt.id())).isTrue();
        }
      }
      way.down(true);

      assertThat(renewed(quorum)).isInstanceOf(RenewalResult.Gone.class);

      way.down(false);
      await(names[2], false);
    }
  }

  @Test
  @DisplayName("L7: a member that another client has by now counts as one that took the hold away")
  void countsWhatItDidNotGetBack() throws Exception {
    String[] names = names();
    SteeredProvider.Steered way = SteeredProvider.of(CLIENT.id(), names[0]);
    try (LockBackend quorum = held(OTHER, names);
        LockBackend other = direct(OTHER, names[0])) {
      Queue<HoldId> revoked = revoked(quorum);
      force(OTHER, names[0]);
      assertThat(other.attempt(Attempt.of(NAME, new HoldId(8, 1), "other", LEASE)))
          .isInstanceOf(Grant.class);
      renew(quorum);
      awaitRepair(way);
      SteeredProvider.of(CLIENT.id(), names[2]).down(true); // it is not asked, which would tell

      force(OTHER, names[1]);

      for (long start = System.nanoTime();
          revoked.isEmpty() && System.nanoTime() - start < LIMIT_NANOS; ) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      assertThat(revoked).containsExactly(attempt.id());
    }
  }

  @Test
  @DisplayName("L7: a hold that only enough members have granted is lost with one of them")
  void countsWhatItNeverHad() throws Exception {
    String[] names = names();
    try (LockBackend quorum = opened(names)) {
      SteeredProvider.of(CLIENT.id(), names[2]).down(true);
      assertThat(quorum.attempt(attempt)).isInstanceOf(Grant.class);
      Queue<HoldId> revoked = revoked(quorum);

      force(OTHER, names[1]);

      for (long start = System.nanoTime();
          revoked.isEmpty() && System.nanoTime() - start < LIMIT_NANOS; ) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      assertThat(revoked).containsExactly(attempt.id());
    }
  }

  @Test
  @DisplayName("L7: a hold is lost that was forced off its members just before it was granted")
  void countsWhatWasForcedMeanwhile() throws Exception {
    String[] names = names();
    Attempt ahead = Attempt.of("b", new HoldId(8, 1), "other", LEASE).withTokens(1_000_000);
    try (LockBackend quorum = opened(names);
        LockBackend first = direct(OTHER, names[0])) {
      Queue<HoldId> revoked = revoked(quorum);
      SteeredProvider.of(CLIENT.id(), names[2]).down(true);
      assertThat(first.attempt(ahead)).isInstanceOf(Grant.class);
      // So the second member's token is raised, at last.
      SteeredProvider.of(CLIENT.id(), names[1]).beforeRenewed(() -> {
        force(OTHER, names[0]);
        force(OTHER, names[1]);
      });
      assertThat(quorum.attempt(attempt)).isInstanceOf(Grant.class);
      for (long start = System.nanoTime();
          revoked.isEmpty() && System.nanoTime() - start < LIMIT_NANOS; ) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      assertThat(revoked).contains(attempt.id());
    }
  }

  @Undisturbed(millis = 500)
  @DisplayName(
      "X3: a member that lost a hold has it again for as long as the others, and no longer")
  void lastsAsLongAsTheOthers() throws Exception {
    String[] names = names();
    SteeredProvider.Steered way = SteeredProvider.of(CLIENT.id(), names[0]);
    try (LockBackend quorum = held(names)) {
      Duration begun = remaining(names[1]);
      while (remaining(names[1]).compareTo(begun.minusSeconds(3)) > 0) {
        TimeUnit.MILLISECONDS.sleep(50);
      }
      force(names[0]);

      // As the engine does with a fixed lease, to see whether it is there.
      RenewalAnswers.collect(
          quorum, List.of(Renewal.of(NAME, attempt.id(), LockRequest.MIN_LEASE, false)));

      awaitRepair(way);
      await(names[0], true);
      assertThat(remaining(names[0]))
          .isCloseTo(remaining(names[1]), Duration.ofMillis(1_500))
          .isGreaterThan(LEASE.dividedBy(2));
    }
  }

  private static Duration remaining(String member) {
    try (LockBackend direct = direct(member)) {
      return direct.inspect(NAME).orElseThrow().remaining();
    }
  }

  /** Which holds the engine is told to be lost. */
  private static Queue<HoldId> revoked(LockBackend quorum) {
    Queue<HoldId> revoked = new ConcurrentLinkedQueue<>();
    quorum.subscribe(new BackendEvents() {
      @Override
      public void granted(Grant grant, long notBeforeNanos) {}

      @Override
      public void wake(String name, HoldId id) {}

      @Override
      public void revoked(String name, HoldId id) {
        revoked.add(id);
      }

      @Override
      public void inDoubt() {}
    });
    return revoked;
  }

  /** Of members that no other test of this JVM has. */
  private static String[] names() {
    int run = RUNS.incrementAndGet();
    return new String[] {"repair" + run + "a", "repair" + run + "b", "repair" + run + "c"};
  }

  /** Without news of forced releases, for another has used its name there. */
  private LockBackend held(String... names) throws InterruptedException {
    return held(CLIENT, names);
  }

  private LockBackend held(ClientId looking, String... names) throws InterruptedException {
    LockBackend quorum = opened(names);
    assertThat(quorum.attempt(attempt)).isInstanceOf(Grant.class);
    for (String name : names) {
      await(looking, name, true);
    }
    return quorum;
  }

  private static LockBackend opened(String... names) {
    LockBackend quorum =
        BackendContext.of(CLIENT).open(LockConfig.parse(SteeredProvider.quorum(names)));
    quorum.subscribe(BackendEvents.IGNORED);
    return quorum;
  }

  private void renew(LockBackend quorum) {
    assertThat(renewed(quorum)).isInstanceOf(Grant.class);
  }

  private RenewalResult renewed(LockBackend quorum) {
    Renewal renewal = Renewal.of(NAME, attempt.id(), LEASE, false);
    return RenewalAnswers.collect(quorum, List.of(renewal)).get(0);
  }

  /** Its token may be raised just then. */
  private static void force(String member) {
    force(CLIENT, member);
  }

  private static void force(ClientId client, String member) {
    try (LockBackend direct = direct(client, member)) {
      boolean forced = false;
      for (long start = System.nanoTime(); !forced && System.nanoTime() - start < LIMIT_NANOS; ) {
        forced = direct
            .inspect(NAME)
            .filter(hold -> direct.forceRelease(NAME, hold.fencingToken()))
            .isPresent();
      }
      assertThat(forced).as("%s was held", member).isTrue();
    }
  }

  /** Until the member has answered the vote and the repair. */
  private static void awaitRepair(SteeredProvider.Steered way) throws InterruptedException {
    long start = System.nanoTime();
    while (way.attempts(NAME).size() < 2 && System.nanoTime() - start < LIMIT_NANOS) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    assertThat(way.attempts(NAME)).as("the vote and the repair").hasSize(2);
  }

  private static void await(String member, boolean held) throws InterruptedException {
    await(CLIENT, member, held);
  }

  private static void await(ClientId client, String member, boolean held)
      throws InterruptedException {
    try (LockBackend direct = direct(client, member)) {
      Optional<HoldInfo> hold = direct.inspect(NAME);
      long start = System.nanoTime();
      while (hold.isPresent() != held && System.nanoTime() - start < LIMIT_NANOS) {
        TimeUnit.MILLISECONDS.sleep(5);
        hold = direct.inspect(NAME);
      }
      assertThat(hold.isPresent()).as("whether it is held on %s", member).isEqualTo(held);
    }
  }

  private static LockBackend direct(String member) {
    return direct(CLIENT, member);
  }

  private static LockBackend direct(ClientId client, String member) {
    return BackendContext.of(client).open(LockConfig.parse("local://?namespace=" + member));
  }
}
