package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfig;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.quorum.internal.member.Members;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A quorum of three members in this JVM that a test steers, and another client of the first. */
public abstract class SteeredMembers {
  protected static final String NAME = "a";

  /** Longer than a test: nothing ends by itself. */
  protected static final Duration LEASE = Duration.ofSeconds(50);

  private static final AtomicInteger TESTS = new AtomicInteger();
  private static final AtomicLong IDS = new AtomicLong();

  private final String namespace = "steered" + TESTS.incrementAndGet() + "-";

  protected final List<SteeredProvider.Steered> members = SteeredProvider.of("ours", namespace, 3);
  protected LockBackend quorum;
  protected LockBackend first;

  @BeforeEach
  protected final void openBoth() {
    quorum = open("ours", SteeredProvider.quorum(namespace + 0, namespace + 1, namespace + 2));
    first = direct(0);
  }

  @AfterEach
  protected final void closeBoth() {
    quorum.close();
    first.close();
  }

  /** A member, as another client asks it. */
  protected final LockBackend direct(int member) {
    return open("direct", "local://?namespace=" + namespace + member);
  }

  /** A member loses what it has of one attempt of this client, as where it was emptied. */
  protected final void forget(int member, Attempt attempt) {
    try (LockBackend own = open("ours", "local://?namespace=" + namespace + member)) {
      own.abandon(attempt.name(), attempt.id());
    }
  }

  private static LockBackend open(String client, String uri) {
    LockBackend opened =
        BackendContext.of(new ClientId(client, "test")).open(LockConfig.parse(uri));
    opened.subscribe(BackendEvents.IGNORED);
    return opened;
  }

  protected static Attempt attempt() {
    return attempt(NAME);
  }

  protected static Attempt attempt(String name) {
    return Attempt.of(name, new HoldId(1, IDS.incrementAndGet()), "owner", LEASE);
  }

  /** One that stands in the first member's queue. */
  protected final Attempt waits() {
    Attempt waiting = attempt().withPatience(LEASE);
    assertThat(quorum.attempt(waiting)).isInstanceOf(AttemptResult.Queued.class);
    return waiting;
  }

  /** What a look after a place in a queue tells; throws what kept it from an answer. */
  protected final RenewalResult refreshed(Attempt waiting) {
    Renewal entry = Renewal.of(NAME, waiting.id(), LEASE, true);
    return RenewalAnswers.collect(quorum, List.of(entry)).get(0);
  }

  /** The first answer: who waits stays for a while at a member that fails. */
  protected static <T> T answer(Supplier<T> question) throws InterruptedException {
    while (true) {
      try {
        return question.get();
      } catch (BackendUnavailableException | OutcomeUnknownException e) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
    }
  }

  /** What each live member was asked for is answered by then. */
  protected final void takeAndRelease() {
    int[] before = members.stream().mapToInt(SteeredProvider.Steered::releases).toArray();
    Attempt held = attempt();
    assertThat(quorum.attempt(held)).isInstanceOf(Grant.class);
    assertThat(quorum.release(NAME, held.id())).isTrue();
    awaitEach(member -> members.get(member).releases() > before[member]);
  }

  /**
   * Until each live member has answered an attempt: a grant waits for no more than enough votes.
   */
  protected final void awaitVotes(Attempt attempt) {
    awaitEach(member -> members.get(member).attempts(attempt.name()).contains(attempt.id()));
  }

  private void awaitEach(IntPredicate condition) {
    for (int member = 0; member < members.size(); member++) {
      while (!condition.test(member) && quorumMembers().all().get(member).isLive()) {
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  /** As a quorum knows its members. */
  public static Members membersOf(LockBackend quorum) {
    return ((QuorumBackend) quorum).members();
  }

  /** As the quorum knows its members. */
  protected final Members quorumMembers() {
    return membersOf(quorum);
  }
}
