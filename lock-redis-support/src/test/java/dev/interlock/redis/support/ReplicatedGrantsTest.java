package dev.interlock.redis.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HoldInfo;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whatever grants a lock, the caller gets it by an attempt that the replicas confirmed. */
class ReplicatedGrantsTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final HoldId ONE = new HoldId(1, 1);
  private static final HoldId TWO = new HoldId(1, 2);

  private final Backend backend = new Backend();
  private final List<HoldId> woken = new ArrayList<>();
  private int found = 1;
  private final ReplicatedGrants grants = new ReplicatedGrants(backend, 1, (name, id) -> found);

  @BeforeEach
  void subscribe() {
    grants.subscribe(new Wakes());
  }

  @Test
  void aConfirmedGrantIsAnswered() {
    assertThat(grants.attempt(attempt(ONE))).isEqualTo(backend.attempted);
    assertThat(backend.abandoned).isEmpty();
  }

  @Test
  void anUnconfirmedGrantIsGivenBack() {
    found = 0;
    assertThatThrownBy(() -> grants.attempt(attempt(ONE)))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("only 0 had it in time; it was given back");
    assertThat(backend.abandoned).containsExactly(ONE);
  }

  @Test
  void aGrantThatEndedMeanwhileIsNone() {
    found = -1;
    assertThatThrownBy(() -> grants.attempt(attempt(ONE)))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("it ended before that");
  }

  @Test
  void aGrantThatCannotBeGivenBackHasAnUnknownOutcome() {
    found = 0;
    backend.deaf = true;
    assertThatThrownBy(() -> grants.attempt(attempt(ONE)))
        .isInstanceOf(OutcomeUnknownException.class);
  }

  @Test
  void busyAndQueuedNeedNoReplica() {
    found = 0;
    backend.attempted = AttemptResult.busy(LEASE);
    assertThat(grants.attempt(attempt(ONE))).isEqualTo(backend.attempted);
  }

  @Test
  void aReleaseThatGrantsMakesTheWaiterAskItself() {
    backend.released = ReleaseResult.released().withGranted(Grant.of("n", TWO, 7, LEASE));
    assertThat(HandOffBackend.release(grants, Release.of("n", ONE)))
        .isEqualTo(ReleaseResult.released());
    assertThat(woken).containsExactly(TWO);
  }

  @Test
  void anAttemptThatAReleaseTookAlongIsNeverAnsweredGranted() {
    AttemptResult soon = AttemptResult.busy(Duration.ZERO);
    for (ReleaseResult result : List.of(
        ReleaseResult.released().withGranted(Grant.of("n", TWO, 7, LEASE)),
        ReleaseResult.released().withNext(Grant.of("n", TWO, 7, LEASE)))) {
      woken.clear();
      backend.released = result;
      // The engine must hear of an answer, to undo the attempt of a waiter that has left.
      assertThat(HandOffBackend.release(grants, Release.of("n", ONE).withNext(attempt(TWO))))
          .isEqualTo(ReleaseResult.released().withNext(soon));
      assertThat(woken).containsExactly(TWO);
    }
  }

  @Test
  void aGrantThatARefreshFindsMakesTheWaiterAskItself() {
    backend.renewed = List.of(Grant.of("n", ONE, 7, LEASE), Grant.of("m", TWO, 8, LEASE));
    List<RenewalResult> results = RenewalAnswers.collect(
        grants, List.of(Renewal.of("n", ONE, LEASE, false), Renewal.of("m", TWO, LEASE, true)));
    assertThat(results.get(0)).isEqualTo(Grant.of("n", ONE, 7, LEASE));
    assertThat(results.get(1)).isInstanceOf(RenewalResult.Queued.class);
    assertThat(woken).containsExactly(TWO);
  }

  @Test
  void aGrantThatAMessageTellsMakesTheWaiterAskItself() {
    assertThat(backend.events).isNotNull();
    backend.events.granted(Grant.of("n", TWO, 7, LEASE), System.nanoTime());
    assertThat(woken).containsExactly(TWO);
  }

  private static Attempt attempt(HoldId id) {
    return Attempt.of("n", id, "owner", LEASE).withPatience(LEASE);
  }

  private final class Wakes implements BackendEvents {
    @Override
    public void granted(Grant grant, long notBeforeNanos) {
      throw new AssertionError("granted without a replica");
    }

    @Override
    public void wake(String name, HoldId id) {
      woken.add(id);
    }

    @Override
    public void revoked(String name, HoldId id) {
      throw new AssertionError("nothing is revoked here");
    }

    @Override
    public void inDoubt() {
      throw new AssertionError("nothing is in doubt here");
    }
  }

  private static final class Backend implements HandOffBackend {
    AttemptResult attempted = Grant.of("n", ONE, 7, LEASE);
    ReleaseResult released = ReleaseResult.released();
    List<RenewalResult> renewed = List.of();
    final List<HoldId> abandoned = new ArrayList<>();
    boolean deaf;
    BackendEvents events;

    @Override
    public void subscribe(BackendEvents engine) {
      events = engine;
    }

    @Override
    public AttemptResult attempt(Attempt attempt) {
      return attempted;
    }

    @Override
    public void renew(List<Renewal> batch, RenewalAnswers answers) {
      for (int i = 0; i < batch.size(); i++) {
        answers.answer(batch.get(i), renewed.get(i));
      }
    }

    @Override
    public ReleaseResult release(Release release) {
      return released;
    }

    @Override
    public void abandon(String name, HoldId id) {
      if (deaf) {
        throw new BackendUnavailableException("no answer");
      }
      abandoned.add(id);
    }

    @Override
    public Optional<HoldInfo> inspect(String name) {
      return Optional.empty();
    }

    @Override
    public boolean forceRelease(String name, long fencingToken) {
      return false;
    }

    @Override
    public String server() {
      return "a server";
    }

    @Override
    public void close() {}
  }
}
