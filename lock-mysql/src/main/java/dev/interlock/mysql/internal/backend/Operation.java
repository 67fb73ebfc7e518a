package dev.interlock.mysql.internal.backend;

import dev.interlock.mysql.internal.queue.Transition;
import dev.interlock.spi.HoldId;
import dev.interlock.sql.support.Batched;
import dev.interlock.sql.support.Outcome;
import java.util.List;

/**
 * What can be asked of a lock.
 *
 * @param <T> its answer
 */
abstract class Operation<T> implements Batched<T> {
  private final Outcome<T> outcome = new Outcome<>();

  @Override
  public final Outcome<T> outcome() {
    return outcome;
  }

  static List<HoldId> allIds(List<Operation<?>> operations) {
    return operations.stream().flatMap(operation -> operation.ids().stream()).toList();
  }

  /** The ids whose entries the transaction must read. */
  List<HoldId> ids() {
    return List.of();
  }

  /** Whether it needs the lock's row, which is then added if there is none. */
  boolean needsRow() {
    return false;
  }

  /** Whether it frees or keeps a lock. */
  boolean isUrgent() {
    return true;
  }

  /** Whether it may leave a waiter in the queue. */
  boolean waits() {
    return false;
  }

  /** Whether a row that somebody keeps locked is to be taken for one that is not there. */
  boolean passesOverLocked() {
    return false;
  }

  /**
   * Does it in one packet if that may do; otherwise changes nothing.
   *
   * @param awaited whether waiters of this client stand in the queue, so the lock cannot be free
   */
  boolean tryFast(FastPath fastPath, boolean awaited) {
    return false;
  }

  /** Done first: gives up what it gives up. Called anew if the transaction has to be repeated. */
  void giveUp(Transition transition) {}

  /** Done last, once the waiters have been served: takes what it takes. */
  void take(Transition transition) {}

  /** Called after the commit. Answers what the caller gets. */
  abstract T committed(Transition transition);

  /** What the caller gets if there is no row and none is needed. */
  abstract T nothingThere();

  final void succeed(T result) {
    outcome.succeed(result);
  }
}
