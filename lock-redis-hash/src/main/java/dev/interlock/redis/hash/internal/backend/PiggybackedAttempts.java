package dev.interlock.redis.hash.internal.backend;

import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets attempts for a crowded lock ride along with a release of the same client, and so saves their
 * own script calls.
 *
 * <p>An attempt that goes to the end of a queue need not hurry: while several waiters of this
 * client stand before it, their releases come soon, and the first of them takes it along. If none
 * comes within the time that a few of the latest releases took, at most {@value #LONGEST_DELAY}
 * nanoseconds and half of what its caller would wait, it goes alone. An attempt that is repeated
 * never waits, nor does one that its own hold lets in, nor one on a thread for which others wait.
 * Thread-safe.
 */
final class PiggybackedAttempts {
  private static final long LONGEST_DELAY = 20_000_000;
  private static final long SHORTEST_DELAY = 500_000;

  /** How long the server keeps a waiter that is not refreshed: state.lua. */
  private static final long WAITER_LIFE = 15_000_000_000L;

  private static final int GAPS = 3;
  private static final int CROWD = 2;
  private static final int MOST = 16;

  private enum State {
    WAITING,
    ALONE,
    TAKEN,
    ARRIVED
  }

  /** One attempt and the thread that makes it. */
  static final class PiggybackedAttempt {
    private final Attempt attempt;
    private final Thread thread = Thread.currentThread();
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
    private volatile @Nullable AttemptResult result;
    private volatile boolean doubtful;

    private PiggybackedAttempt(Attempt attempt) {
      this.attempt = attempt;
    }

    Attempt attempt() {
      return attempt;
    }

    /**
     * What came of it; null if it was not made, or has to be made again to know.
     *
     * @throws OutcomeUnknownException if the release that took it along was not answered: that may
     *     still run, and make the attempt once more after its hold was released
     */
    @Nullable
    AttemptResult result() {
      if (doubtful) {
        throw new OutcomeUnknownException("whether an attempt for lock '" + attempt.name()
            + "' was made is not known: it went along with a release that was not answered");
      }
      return result;
    }

    /** Ends the ride; without a result the attempt goes alone. */
    void arrive(@Nullable AttemptResult answer) {
      end(answer);
    }

    /** Ends the ride of a release that failed. */
    void fail() {
      doubtful = true;
      end(null);
    }

    private void end(@Nullable AttemptResult answer) {
      result = answer;
      state.set(State.ARRIVED);
      LockSupport.unpark(thread);
    }

    private boolean move(State from, State to) {
      return state.compareAndSet(from, to);
    }

    /** Answers whether a release took it along. */
    private boolean ride(long delay) {
      long deadline = System.nanoTime() + delay;
      boolean interrupted = false;
      while (state.get() != State.ARRIVED) {
        long left = interrupted ? 0 : deadline - System.nanoTime();
        if (state.get() == State.TAKEN) {
          LockSupport.park(this); // for as long as the release takes, which is bounded
        } else if (left > 0) {
          LockSupport.parkNanos(this, left);
        } else if (move(State.WAITING, State.ALONE)) {
          break;
        }
        interrupted |= Thread.interrupted();
      }
      if (interrupted) {
        thread.interrupt();
      }
      return state.get() == State.ARRIVED;
    }
  }

  /** What this client has to do with one lock. */
  private static final class Crowd {
    /** Who waits for it, and until when at the most without a renewal. */
    final Map<HoldId, Long> waiters = new ConcurrentHashMap<>();

    final Queue<PiggybackedAttempt> riders = new ConcurrentLinkedQueue<>();

    // Releases of one lock follow one another, so these need no more than to be visible.
    private volatile long releasedAt = System.nanoTime();
    private volatile long gap = SHORTEST_DELAY;

    void released() {
      long now = System.nanoTime();
      gap = (3 * gap + now - releasedAt) / 4;
      releasedAt = now;
    }

    /** How long a release may be awaited; zero if they come too rarely to be worth it. */
    long delay() {
      return gap > LONGEST_DELAY
          ? 0
          : Math.min(LONGEST_DELAY, Math.max(SHORTEST_DELAY, GAPS * gap));
    }
  }

  private final ConcurrentHashMap<String, Crowd> crowds = new ConcurrentHashMap<>();
  private final LongSupplier nanoTime;
  private final AtomicLong sweptAt;

  PiggybackedAttempts() {
    this(System::nanoTime);
  }

  PiggybackedAttempts(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.sweptAt = new AtomicLong(nanoTime.getAsLong());
  }

  /** Notes that an attempt stands in the queue of the server. */
  void queued(String name, HoldId id, Duration lease) {
    sweep();
    long end = end(lease);
    crowds.compute(name, (key, known) -> {
      Crowd crowd = known == null ? new Crowd() : known;
      crowd.waiters.put(id, end);
      return crowd;
    });
  }

  /** Notes what a renewal has found. */
  void renewed(Renewal renewal, RenewalResult result) {
    if (result instanceof RenewalResult.Queued) {
      renewed(renewal.name(), renewal.id(), renewal.lease());
    } else if (!(result instanceof RenewalResult.Failed)) {
      ended(renewal.name(), renewal.id());
    }
  }

  /** Notes that an attempt still stands there. */
  void renewed(String name, HoldId id, Duration lease) {
    Crowd crowd = crowds.get(name);
    if (crowd != null) {
      crowd.waiters.replace(id, end(lease));
    }
  }

  /** The grant may come as late as the waiter's end, and begins a lease. */
  private long end(Duration lease) {
    return nanoTime.getAsLong() + WAITER_LIFE + lease.toNanos();
  }

  /**
   * A waiter may end without a word: it was granted the lock and lost it, or left to the server.
   */
  private void sweep() {
    long last = sweptAt.get();
    long now = nanoTime.getAsLong();
    if (now - last < WAITER_LIFE || !sweptAt.compareAndSet(last, now)) {
      return;
    }
    for (String name : crowds.keySet()) {
      crowds.computeIfPresent(name, (key, crowd) -> {
        crowd.waiters.values().removeIf(end -> end - now < 0);
        return crowd.waiters.isEmpty() ? null : crowd;
      });
    }
  }

  /** How many waiters are known. */
  int known() {
    return crowds.values().stream().mapToInt(crowd -> crowd.waiters.size()).sum();
  }

  /** Notes that an attempt waits no longer: it has left, or has the lock. */
  void ended(String name, HoldId id) {
    if (crowds.containsKey(name)) {
      crowds.computeIfPresent(name, (key, crowd) -> {
        crowd.waiters.remove(id);
        return crowd.waiters.isEmpty() ? null : crowd;
      });
    }
  }

  /** Waits a moment for a release to take the attempt along; null if none did. */
  @Nullable
  PiggybackedAttempt ride(Attempt attempt) {
    boolean inOrder = attempt.fair() && attempt.beside() == null;
    if (!inOrder || !attempt.waits() || attempt.prompt()) {
      return null;
    }
    Crowd crowd = crowds.get(attempt.name());
    if (crowd == null || crowd.waiters.size() < CROWD || crowd.waiters.containsKey(attempt.id())) {
      return null;
    }
    long delay = Math.min(crowd.delay(), attempt.patience().toNanos() / 2);
    if (delay == 0) {
      return null;
    }
    PiggybackedAttempt rider = new PiggybackedAttempt(attempt);
    crowd.riders.add(rider);
    if (rider.ride(delay)) {
      return rider;
    }
    crowd.riders.remove(rider);
    return null;
  }

  /** The attempts that a release of the lock takes along; each must {@code arrive} or fail. */
  List<PiggybackedAttempt> take(String name) {
    Crowd crowd = crowds.get(name);
    if (crowd == null) {
      return List.of();
    }
    crowd.released();
    List<PiggybackedAttempt> taken = new ArrayList<>(MOST);
    PiggybackedAttempt rider = crowd.riders.poll();
    while (rider != null) {
      if (rider.move(State.WAITING, State.TAKEN)) {
        taken.add(rider);
      }
      rider = taken.size() < MOST ? crowd.riders.poll() : null;
    }
    return taken;
  }
}
