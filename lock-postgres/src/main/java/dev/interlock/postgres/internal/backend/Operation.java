package dev.interlock.postgres.internal.backend;

import dev.interlock.postgres.internal.grants.Waiters;
import dev.interlock.postgres.internal.statements.LockMapper.Answer;
import dev.interlock.postgres.internal.statements.LockMapper.Asking;
import dev.interlock.postgres.internal.statements.LockMapper.Step;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Release;
import dev.interlock.sql.support.Batched;
import dev.interlock.sql.support.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a caller wants of a lock: one call of the function {@code operate}. */
abstract class Operation implements Batched<Answer> {
  private final Outcome<Answer> outcome = new Outcome<>();

  @Override
  public final Outcome<Answer> outcome() {
    return outcome;
  }

  abstract Step step();

  /** The attempt in it, which is told by the answer if it has the lock. */
  @Nullable
  HoldId asks() {
    Asking asking = step().asks();
    return asking == null ? null : asking.id;
  }

  /** Whether it frees a lock: such operations come first, and do not queue behind attempts. */
  boolean isUrgent() {
    return true;
  }

  /** Whether its caller is told by the answer which waiter of this client has the lock. */
  boolean tells(Answer answer, long client) {
    return false;
  }

  /** An attempt. */
  static final class Acquire extends Operation {
    private final Attempt attempt;

    Acquire(Attempt attempt) {
      this.attempt = attempt;
    }

    @Override
    Step step() {
      return new Step(List.of(), new Asking(attempt));
    }

    @Override
    boolean isUrgent() {
      return false;
    }

    @Override
    public Duration patience() {
      return attempt.patience();
    }
  }

  /** A release, with the entries of those to whom it was passed, and an attempt to take along. */
  static final class GiveBack extends Operation {
    private final Release release;
    private final Waiters waiters;

    GiveBack(Release release, Waiters waiters) {
      this.release = release;
      this.waiters = waiters;
    }

    @Override
    Step step() {
      List<HoldId> leaving = new ArrayList<>(List.of(release.id()));
      leaving.addAll(release.passed());
      Attempt next = release.next();
      return new Step(leaving, next == null ? null : new Asking(next));
    }

    @Override
    boolean tells(Answer answer, long client) {
      return answer.held && answer.isGrantTo(client);
    }

    /**
     * Not while more waiters of this client stand in the queue. Appended together, riders stand
     * side by side, and a later grant serves them as one run; taken along one by one, they would
     * stand between the waiters of other clients, and each of them would cost a commit, for ever.
     */
    @Override
    public boolean takesAlong(int riders) {
      return waiters.count(release.name()) - release.passed().size() <= riders;
    }
  }

  /** The removal of what an attempt may have left. */
  static final class Abandonment extends Operation {
    private final HoldId id;

    Abandonment(HoldId id) {
      this.id = id;
    }

    @Override
    Step step() {
      return new Step(List.of(id), null);
    }

    @Override
    public boolean takesAlong(int riders) {
      return true; // the holder that they wait for may be the one that ends
    }
  }
}
