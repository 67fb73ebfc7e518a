package dev.interlock.redis.support;

import dev.interlock.LockException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks a server for its replicas with {@code WAIT}, which keeps a connection from doing anything
 * else: so one thread at a time does, those who come meanwhile wait, and whoever of them is next
 * asks for all of them at once. Thread-safe; blocks as long as asking twice.
 *
 * @param <Q> what one thread wants to know
 */
public final class ReplicaTurn<Q extends ReplicaTurn.Question> {
  private static final int GONE = -1;

  /** Which replicas have a hold. */
  @FunctionalInterface
  public interface Question {
    Outcome outcome();
  }

  /** What is found out about it. Used by one thread at a time. */
  public static final class Outcome {
    private int found = GONE;
    private @Nullable LockException failure;

    /** Notes how many have it. Without that it is gone. */
    public void found(int replicas) {
      found = replicas;
    }

    /** Notes why that cannot be known. */
    public void failed(LockException reason) {
      failure = reason;
    }

    private int get() {
      if (failure != null) {
        throw failure;
      }
      return found;
    }
  }

  private final Consumer<List<Q>> work;
  private final Queue<Q> waiting = new ConcurrentLinkedQueue<>();

  /** Fair: whoever has been answered would wait for the turns of those who come later. */
  private final ReentrantLock turn = new ReentrantLock(true);

  /**
   * Makes one that nobody waits for.
   *
   * @param work answers some questions, at least one; what it throws is the answer to all
   */
  public ReplicaTurn(Consumer<List<Q>> work) {
    this.work = work;
  }

  /**
   * Waits until it was asked, by the caller or by another thread.
   *
   * @param mine what the caller wants to know
   * @return as for {@link ReplicatedGrants.Replicas#confirm}
   */
  public int ask(Q mine) {
    waiting.add(mine);
    turn.lock();
    try {
      if (waiting.remove(mine)) {
        List<Q> all = new ArrayList<>();
        all.add(mine);
        for (Q other = waiting.poll(); other != null; other = waiting.poll()) {
          all.add(other);
        }
        askFor(all);
      }
    } finally {
      turn.unlock();
    }
    return mine.outcome().get();
  }

  private void askFor(List<Q> all) {
    try {
      work.accept(all);
    } catch (LockException e) {
      all.forEach(question -> question.outcome().failed(e));
    }
  }
}
