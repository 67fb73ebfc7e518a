package dev.interlock.mysql.internal.backend;

import dev.interlock.LockException;
import dev.interlock.sql.support.LockBatcher;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * What some renewals of a batch need: a transaction on one lock. Not thread-safe.
 *
 * @param <T> its answer
 */
final class RowWork<T> {
  private final String name;
  private final Operation<T> operation;
  private final Consumer<T> answered;
  private final Consumer<LockException> failed;

  RowWork(
      String name, Operation<T> operation, Consumer<T> answered, Consumer<LockException> failed) {
    this.name = name;
    this.operation = operation;
    this.answered = answered;
    this.failed = failed;
  }

  /**
   * Does those of which the row is to be had at once.
   *
   * @return the others: first those with which this client is busy, which mostly takes no time
   */
  static Deque<RowWork<?>> doUnlocked(
      Iterable<RowWork<?>> works, LockBatcher<Operation<?>> batcher) {
    Deque<RowWork<?>> left = new ArrayDeque<>();
    for (RowWork<?> work : works) {
      Operations.IfUnlocked<?> now = new Operations.IfUnlocked<>(work.operation);
      if (!batcher.runAlone(work.name, now)) {
        left.addFirst(work);
      } else if (!work.isOver(now)) {
        left.addLast(work);
      }
    }
    return left;
  }

  private boolean isOver(Operations.IfUnlocked<?> now) {
    try {
      boolean done = now.outcome().get();
      if (done) {
        answered.accept(operation.outcome().get());
      }
      return done;
    } catch (LockException e) {
      failed.accept(e);
      return true;
    }
  }

  /** Does it, whoever has to be waited for. */
  void run(LockBatcher<Operation<?>> batcher) {
    batcher.run(name, operation);
    try {
      answered.accept(operation.outcome().get());
    } catch (LockException e) {
      failed.accept(e);
    }
  }
}
