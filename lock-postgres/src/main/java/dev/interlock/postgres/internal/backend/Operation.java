package dev.interlock.postgres.internal.backend;

import dev.interlock.postgres.internal.grants.Waiters;
import dev.interlock.postgres.internal.statements.LockMapper.Answer;
import dev.interlock.postgres.internal.statements.LockMapper.Step;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Release;
import dev.interlock.sql.support.AttemptParameters;
import dev.interlock.sql.support.Batched;
import dev.interlock.sql.support.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a caller wants of a lock: one call of the function {@code operate}. */
final class Operation implements Batched<Answer> {
  private final Outcome<Answer> outcome = new Outcome<>();
  private final Step step;
  private final IntPredicate takesAlong;
  private final @Nullable Duration patience;
  private final boolean releases;

  private Operation(
      Step step, IntPredicate takesAlong, @Nullable Duration patience, boolean releases) {
    this.step = step;
    this.takesAlong = takesAlong;
    this.patience = patience;
    this.releases = releases;
  }

  static Operation acquire(Attempt attempt) {
    Step step = new Step(List.of(), new AttemptParameters(attempt));
    return new Operation(step, riders -> false, attempt.patience(), false);
  }

  /**
   * A release, with the entries of those to whom it was passed, and an attempt to take along.
   *
   * <p>Riders do not go with it while more waiters of this client stand in the queue. Appended
   * together, riders stand side by side, and a later grant serves them as one run; taken along one
   * by one, they would stand between the waiters of other clients, and each of them would cost a
   * commit, for ever.
   */
  static Operation giveBack(Release release, Waiters waiters) {
    List<HoldId> leaving =
        Stream.concat(Stream.of(release.id()), release.passed().stream()).toList();
    Attempt next = release.next();
    return new Operation(
        new Step(leaving, next == null ? null : new AttemptParameters(next)),
        riders -> waiters.count(release.name()) - release.passed().size() <= riders,
        null,
        true);
  }

  /** The removal of what an attempt may have left: riders may wait for the holder that it ends. */
  static Operation abandon(HoldId id) {
    return new Operation(new Step(List.of(id), null), riders -> true, null, false);
  }

  @Override
  public Outcome<Answer> outcome() {
    return outcome;
  }

  Step step() {
    return step;
  }

  /** The attempt in it, which is told by the answer if it has the lock. */
  @Nullable
  HoldId asks() {
    AttemptParameters asks = step.asks();
    return asks == null ? null : asks.id();
  }

  /** Whether its caller is told by the answer which waiter of this client has the lock. */
  boolean tells(Answer answer, long client) {
    return releases && answer.held && answer.isGrantTo(client);
  }

  /** Whether it frees a lock: such operations come first, and do not queue behind attempts. */
  boolean isUrgent() {
    return patience == null;
  }

  @Override
  public boolean takesAlong(int riders) {
    return takesAlong.test(riders);
  }

  @Override
  public @Nullable Duration patience() {
    return patience;
  }
}
