package dev.interlock.quorum.internal.member;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One question to several members at once, and their answers as they come. Thread-safe.
 *
 * @param <T> an answer
 */
public final class Round<T> {
  /** Members that answer at all have mostly answered by then. */
  private static final long LINGER = 20_000_000;

  /** A JVM that stood still has heard no answers: that time is not counted beyond one slice. */
  private static final long SLICE = 50_000_000;

  private final @Nullable Caller caller;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<Member, T> answers = new LinkedHashMap<>();
  private final Map<Member, LockException> failures = new LinkedHashMap<>();
  private final Set<Member> open = new LinkedHashSet<>();

  /** What the thread that waits needs; an answer that does not bring it is no reason to wake. */
  private Predicate<Map<Member, T>> awaited = some -> false;

  /** A round whose answers are read by the members' threads. */
  public Round() {
    this(null);
  }

  /**
   * A round of one call.
   *
   * @param caller waits for it, and reads meanwhile what it has sent
   */
  public Round(@Nullable Caller caller) {
    this.caller = caller;
  }

  /** Adds the question to one member. */
  public void ask(Member member, CompletableFuture<T> question) {
    lock.lock();
    try {
      open.add(member);
    } finally {
      lock.unlock();
    }
    var unused = question.whenComplete((answer, error) -> take(member, answer, error));
  }

  private void take(Member member, @Nullable T answer, @Nullable Throwable error) {
    lock.lock();
    try {
      open.remove(member);
      if (answer != null) {
        answers.put(member, answer);
        failures.remove(member);
      } else {
        failures.put(member, failure(error));
      }
      if (open.isEmpty() || awaited.test(answers)) {
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  public static LockException failure(@Nullable Throwable error) {
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    return cause instanceof LockException known
        ? known
        : new OutcomeUnknownException("failed unexpectedly: " + cause, cause);
  }

  /** Whether a member has answered that it will not; else nothing is known of an answer. */
  public static boolean isRefusal(LockException failure) {
    return !(failure instanceof BackendUnavailableException)
        && !(failure instanceof OutcomeUnknownException);
  }

  /** Waits until the answers are enough, all are in, or a member counts as silent. */
  public void await(Predicate<Map<Member, T>> enough) {
    await(enough, Member.SILENT.toNanos());
  }

  /** Waits a little longer for the answers that are not in yet. */
  public void linger() {
    await(some -> false, LINGER);
  }

  /**
   * Waits until the answers are enough, all are in, or the time is over. An interrupt does not end
   * it, and is kept. One thread waits at a time.
   *
   * @param longest in nanoseconds
   */
  public void await(Predicate<Map<Member, T>> enough, long longest) {
    boolean interrupted = caller != null && caller.hasUnread() && read(caller, enough);
    lock.lock();
    try {
      awaited = enough;
      long left = longest;
      while (!open.isEmpty() && left > 0 && !enough.test(answers)) {
        long slice = Math.min(left, SLICE);
        long start = System.nanoTime();
        try {
          var unused = changed.awaitNanos(slice);
        } catch (InterruptedException e) {
          interrupted = true;
        }
        left -= Math.min(slice, System.nanoTime() - start);
      }
    } finally {
      lock.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private boolean read(Caller by, Predicate<Map<Member, T>> enough) {
    lock.lock();
    try {
      awaited = enough;
    } finally {
      lock.unlock();
    }
    return by.read(this);
  }

  /** Whether the thread that waits needs more answers, and may get them. */
  boolean isWaiting() {
    lock.lock();
    try {
      return !open.isEmpty() && !awaited.test(answers);
    } finally {
      lock.unlock();
    }
  }

  /** Whether a member was asked that has not answered yet. */
  public boolean isOpen(Member member) {
    lock.lock();
    try {
      return open.contains(member);
    } finally {
      lock.unlock();
    }
  }

  /** Waits until all answers are in, or a member counts as silent. */
  public void await() {
    await(some -> false);
  }

  /** The answers up to now. */
  public Map<Member, T> answers() {
    lock.lock();
    try {
      return new LinkedHashMap<>(answers);
    } finally {
      lock.unlock();
    }
  }

  /** The failures up to now. */
  public Collection<LockException> failures() {
    lock.lock();
    try {
      return new ArrayList<>(failures.values());
    } finally {
      lock.unlock();
    }
  }

  /** How many answers are of some kind. */
  public static <T> long count(Map<Member, T> answers, Predicate<T> kind) {
    return count(answers.values(), kind);
  }

  /** How many answers are of some kind. */
  public static <T> long count(Collection<T> answers, Predicate<T> kind) {
    return answers.stream().filter(kind).count();
  }

  /** Whether somebody has not answered yet. */
  public boolean isOpen() {
    lock.lock();
    try {
      return !open.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** What is wrong with those who failed, or have not answered. */
  public List<String> complaints() {
    lock.lock();
    try {
      List<String> complaints = new ArrayList<>();
      failures.forEach((member, failure) ->
          complaints.add("member %d: %s".formatted(member.place() + 1, failure.getMessage())));
      open.forEach(member -> complaints.add(member.silence()));
      return complaints;
    } finally {
      lock.unlock();
    }
  }
}
