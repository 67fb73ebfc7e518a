package dev.interlock.mysql.internal.backend;

import dev.interlock.mysql.internal.grants.Entries;
import dev.interlock.mysql.internal.queue.Transition;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The operations that transactions are made of. */
final class Operations {
  private Operations() {}

  /** Keeps track of where an id stands after a transaction. */
  interface Noted {
    void note(String name, HoldId id, Transition transition);
  }

  /** An attempt. */
  static final class Try extends Operation<AttemptResult> {
    private final Attempt attempt;
    private final Noted noted;
    private @Nullable AttemptResult result;

    Try(Attempt attempt, Noted noted) {
      this.attempt = attempt;
      this.noted = noted;
    }

    @Override
    List<HoldId> ids() {
      return List.of(attempt.id());
    }

    @Override
    boolean needsRow() {
      return true;
    }

    @Override
    boolean isUrgent() {
      return false;
    }

    @Override
    boolean waits() {
      return attempt.waits();
    }

    @Override
    public Duration patience() {
      return attempt.patience();
    }

    @Override
    boolean tryFast(FastPath fastPath, boolean awaited) {
      AttemptResult answer = attempt.capacity() == 1 ? fastPath.attempt(attempt, awaited) : null;
      if (answer != null) {
        succeed(answer);
      }
      return answer != null;
    }

    @Override
    void take(Transition transition) {
      result = transition.attempt(attempt);
    }

    @Override
    AttemptResult committed(Transition transition) {
      noted.note(attempt.name(), attempt.id(), transition);
      return nothingThere();
    }

    @Override
    AttemptResult nothingThere() {
      AttemptResult answer = result;
      if (answer == null) {
        throw new IllegalStateException("an attempt needs a row");
      }
      return answer;
    }
  }

  /** A release, with the entries of those to whom it was passed, and an attempt to take along. */
  static final class GiveBack extends Operation<ReleaseResult> {
    private final Release release;
    private final Entries entries;
    private final Noted noted;
    private final List<HoldId> unseen = new ArrayList<>();
    private boolean held;
    private @Nullable AttemptResult next;

    GiveBack(Release release, Entries entries, Noted noted) {
      this.release = release;
      this.entries = entries;
      this.noted = noted;
    }

    /** Whose entries were too far behind to be seen: they must be abandoned one by one. */
    List<HoldId> unseen() {
      return unseen;
    }

    @Override
    List<HoldId> ids() {
      Attempt following = release.next();
      List<HoldId> ids = new ArrayList<>();
      if (following != null) {
        ids.add(following.id());
      }
      if (entries.isCounted(release.id())) {
        ids.add(release.id());
      }
      return ids;
    }

    @Override
    boolean waits() {
      Attempt following = release.next();
      return following != null && following.waits();
    }

    /**
     * Not while more waiters of this client stand in the queue. Appended together, riders stand
     * side by side, and a later grant serves them as one run; taken along one by one, they would
     * stand between the waiters of other clients, and each of them would cost a commit, for ever.
     */
    @Override
    public boolean takesAlong(int riders) {
      int passed = release.passed().size();
      return entries.waiting(release.name(), passed + riders + 1) - passed <= riders;
    }

    @Override
    boolean tryFast(FastPath fastPath, boolean awaited) {
      boolean released = !awaited
          && release.next() == null
          && release.passed().isEmpty()
          && entries.get(release.id()) == null
          && fastPath.release(release);
      if (released) {
        succeed(ReleaseResult.released());
      }
      return released;
    }

    @Override
    void giveUp(Transition transition) {
      unseen.clear();
      release.passed().stream().filter(id -> !transition.dropHeir(id)).forEach(unseen::add);
      held = transition.holders().release(release.id());
      if (!held) {
        transition.abandon(release.id()); // a grant that lapsed is in the queue again
      }
    }

    @Override
    void take(Transition transition) {
      Attempt following = release.next();
      next = held && following != null ? transition.attempt(following) : null;
    }

    @Override
    ReleaseResult committed(Transition transition) {
      Attempt following = release.next();
      if (next != null && following != null) {
        noted.note(following.name(), following.id(), transition);
      }
      return held
          ? ReleaseResult.released()
              .withGranted(transition.takeGrant(release.name()))
              .withNext(next)
          : ReleaseResult.notHeld();
    }

    @Override
    ReleaseResult nothingThere() {
      return ReleaseResult.notHeld();
    }
  }

  /** An abandonment, or with no id just a look whether the lock can be granted to somebody. */
  static final class Tidy extends Operation<Boolean> {
    private final @Nullable HoldId id;

    Tidy(@Nullable HoldId id) {
      this.id = id;
    }

    @Override
    List<HoldId> ids() {
      return id == null ? List.of() : List.of(id);
    }

    @Override
    public boolean takesAlong(int riders) {
      return true; // the holder that they wait for may be the one that ends
    }

    @Override
    void giveUp(Transition transition) {
      if (id != null) {
        transition.abandon(id);
      }
    }

    @Override
    Boolean committed(Transition transition) {
      return true;
    }

    @Override
    Boolean nothingThere() {
      return true;
    }
  }

  /**
   * Renewals of further holds, which may have become the first one, of waiters that want to share
   * the lock, and of holds whose grants have lapsed. Answers one for each.
   */
  static final class Prolong extends Operation<List<RenewalResult>> {
    private final List<Renewal> renewals;
    private final Entries entries;
    private final Noted noted;
    private List<RenewalResult> results = List.of();

    Prolong(List<Renewal> renewals, Entries entries, Noted noted) {
      this.renewals = renewals;
      this.entries = entries;
      this.noted = noted;
    }

    @Override
    List<HoldId> ids() {
      return renewals.stream().map(Renewal::id).filter(this::mayStandFarBehind).toList();
    }

    /** One that is not known was granted the lock, and may be in the queue again. */
    private boolean mayStandFarBehind(HoldId id) {
      return entries.isCounted(id) || entries.get(id) == null;
    }

    @Override
    void giveUp(Transition transition) {
      renewals.stream()
          .filter(renewal -> !renewal.queued() && !transition.holders().has(renewal.id()))
          .forEach(renewal -> transition.abandon(renewal.id())); // or it would be granted anew
    }

    @Override
    void take(Transition transition) {
      results = renewals.stream().map(transition::renew).toList();
    }

    @Override
    List<RenewalResult> committed(Transition transition) {
      renewals.forEach(renewal -> noted.note(renewal.name(), renewal.id(), transition));
      return results;
    }

    @Override
    List<RenewalResult> nothingThere() {
      return renewals.stream().map(renewal -> RenewalResult.gone()).toList();
    }
  }

  /**
   * Another one, if the lock has a row and nobody keeps that locked; answers whether it was done.
   * If not, the other one is as before.
   */
  static final class IfUnlocked<T> extends Operation<Boolean> {
    private final Operation<T> work;

    IfUnlocked(Operation<T> work) {
      this.work = work;
    }

    @Override
    List<HoldId> ids() {
      return work.ids();
    }

    @Override
    boolean passesOverLocked() {
      return true;
    }

    @Override
    void giveUp(Transition transition) {
      work.giveUp(transition);
    }

    @Override
    void take(Transition transition) {
      work.take(transition);
    }

    @Override
    Boolean committed(Transition transition) {
      work.succeed(work.committed(transition));
      return true;
    }

    @Override
    Boolean nothingThere() {
      return false;
    }
  }

  /**
   * A forced release; answers who was robbed. Repeated, it spares a successor with other tokens.
   */
  static final class Force extends Operation<List<HoldId>> {
    private final long token;
    private List<HoldId> victims = List.of();

    Force(long token) {
      this.token = token;
    }

    @Override
    void giveUp(Transition transition) {
      victims = transition.holders().force(token);
    }

    @Override
    List<HoldId> committed(Transition transition) {
      return victims;
    }

    @Override
    List<HoldId> nothingThere() {
      return List.of();
    }
  }
}
