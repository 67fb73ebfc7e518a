package dev.interlock.mysql;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
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

/** The operations that transactions are made of. */
final class Operations {
  private Operations() {}

  /** An attempt. */
  static final class Try extends Operation<AttemptResult> {
    private final Attempt attempt;
    private final BiConsumer<Attempt, Transition> noted;
    private @Nullable AttemptResult result;

    Try(Attempt attempt, BiConsumer<Attempt, Transition> noted) {
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
      AttemptResult answer = fastPath.attempt(attempt, awaited);
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
      noted.accept(attempt, transition);
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
    private final BiConsumer<Attempt, Transition> noted;
    private final List<HoldId> unseen = new ArrayList<>();
    private boolean held;
    private @Nullable AttemptResult next;

    GiveBack(Release release, Entries entries, BiConsumer<Attempt, Transition> noted) {
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
    public boolean takesAlong(int riders) {
      int passed = release.passed().size();
      return entries.waiting(release.name(), passed + riders + 1) - passed <= riders;
    }

    @Override
    boolean tryFast(FastPath fastPath, boolean awaited) {
      boolean released = !awaited
          && release.next() == null
          && release.passed().isEmpty()
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
      held = transition.release(release.id());
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
        noted.accept(following, transition);
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

  /** The renewal of a further hold of a shared owner, which may have become the first one. */
  static final class Prolong extends Operation<RenewalResult> {
    private final Renewal renewal;
    private final Entries entries;
    private @Nullable Grant held;

    Prolong(Renewal renewal, Entries entries) {
      this.renewal = renewal;
      this.entries = entries;
    }

    @Override
    void take(Transition transition) {
      held = transition.prolong(renewal);
    }

    @Override
    RenewalResult committed(Transition transition) {
      if (transition.share(renewal.id()) == null) {
        entries.remove(renewal.id());
      }
      return held == null ? RenewalResult.gone() : held;
    }

    @Override
    RenewalResult nothingThere() {
      return RenewalResult.gone();
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
      victims = transition.force(token);
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
