package dev.interlock.mysql;

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
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The steps that turns are made of. */
final class Steps {
  private Steps() {}

  /** An attempt. */
  static final class Try extends Step<AttemptResult> {
    private final Attempt attempt;
    private final BiConsumer<Attempt, Turn> noted;
    private @Nullable AttemptResult result;

    Try(Attempt attempt, BiConsumer<Attempt, Turn> noted) {
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
    Duration patience() {
      return attempt.patience();
    }

    @Override
    boolean quick(Quick quick, boolean awaited) {
      AttemptResult answer = quick.attempt(attempt, awaited);
      if (answer != null) {
        succeed(answer);
      }
      return answer != null;
    }

    @Override
    void take(Turn turn) {
      result = turn.attempt(attempt);
    }

    @Override
    AttemptResult committed(Turn turn) {
      noted.accept(attempt, turn);
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
  static final class GiveBack extends Step<ReleaseResult> {
    private final Release release;
    private final Entries entries;
    private final BiConsumer<Attempt, Turn> noted;
    private final List<HoldId> unseen = new ArrayList<>();
    private boolean held;
    private @Nullable AttemptResult next;

    GiveBack(Release release, Entries entries, BiConsumer<Attempt, Turn> noted) {
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
      return following == null ? List.of() : List.of(following.id());
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
    boolean takesAlong(int riders) {
      int passed = release.passed().size();
      return entries.waiting(release.name(), passed + riders + 1) - passed <= riders;
    }

    @Override
    boolean quick(Quick quick, boolean awaited) {
      boolean released = !awaited
          && release.next() == null
          && release.passed().isEmpty()
          && quick.release(release);
      if (released) {
        succeed(ReleaseResult.RELEASED);
      }
      return released;
    }

    @Override
    void giveUp(Turn turn) {
      unseen.clear();
      release.passed().stream().filter(id -> !turn.dropHeir(id)).forEach(unseen::add);
      held = turn.release(release.id());
    }

    @Override
    void take(Turn turn) {
      Attempt following = release.next();
      next = held && following != null ? turn.attempt(following) : null;
    }

    @Override
    ReleaseResult committed(Turn turn) {
      Attempt following = release.next();
      if (next != null && following != null) {
        noted.accept(following, turn);
      }
      return held
          ? new ReleaseResult(true, turn.takeGrant(release.name()), next)
          : ReleaseResult.NOT_HELD;
    }

    @Override
    ReleaseResult nothingThere() {
      return ReleaseResult.NOT_HELD;
    }
  }

  /** An abandonment, or with no id just a look whether the lock can be granted to somebody. */
  static final class Tidy extends Step<Boolean> {
    private final @Nullable HoldId id;

    Tidy(@Nullable HoldId id) {
      this.id = id;
    }

    @Override
    List<HoldId> ids() {
      return id == null ? List.of() : List.of(id);
    }

    @Override
    boolean takesAlong(int riders) {
      return true; // the holder that they wait for may be the one that ends
    }

    @Override
    void giveUp(Turn turn) {
      if (id != null) {
        turn.abandon(id);
      }
    }

    @Override
    Boolean committed(Turn turn) {
      return true;
    }

    @Override
    Boolean nothingThere() {
      return true;
    }
  }

  /** The renewal of a further hold of a shared owner, which may have become the first one. */
  static final class Prolong extends Step<RenewalResult> {
    private final Renewal renewal;
    private final Entries entries;
    private AttemptResult.@Nullable Granted held;

    Prolong(Renewal renewal, Entries entries) {
      this.renewal = renewal;
      this.entries = entries;
    }

    @Override
    void take(Turn turn) {
      held = turn.prolong(renewal.id(), Limits.micros(renewal.lease()));
    }

    @Override
    RenewalResult committed(Turn turn) {
      if (turn.share(renewal.id()) == null) {
        entries.remove(renewal.id());
      }
      return held == null
          ? new RenewalResult.Gone()
          : new RenewalResult.Held(held.fencingToken(), held.tokens());
    }

    @Override
    RenewalResult nothingThere() {
      return new RenewalResult.Gone();
    }
  }

  /**
   * A forced release; answers who was robbed. Repeated, it spares a successor with other tokens.
   */
  static final class Force extends Step<List<HoldId>> {
    private final long token;
    private List<HoldId> victims = List.of();

    Force(long token) {
      this.token = token;
    }

    @Override
    void giveUp(Turn turn) {
      victims = turn.force(token);
    }

    @Override
    List<HoldId> committed(Turn turn) {
      return victims;
    }

    @Override
    List<HoldId> nothingThere() {
      return List.of();
    }
  }
}
