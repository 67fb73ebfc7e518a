package dev.interlock.mysql;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Has at most one turn of this client under way for each lock. What gathers meanwhile goes along in
 * the next one: the row lock would make it wait anyway, and so one commit serves many. The first of
 * those who wait leads the next turn on its own thread. If a turn meets a fault of the server, the
 * attempts behind it whose time was over long ago fail with it. Thread-safe.
 */
final class Lanes {
  private static final int MOST = 128;

  private static final class Lane {
    final Queue<Step<?>> waiting = new ConcurrentLinkedQueue<>();
    final Queue<Step<?>> riders = new ConcurrentLinkedQueue<>();
    final AtomicBoolean led = new AtomicBoolean();
    int users;

    /** All riders together: what one of them has to pay for serves the others too. */
    void endRides() {
      for (Step<?> rider = riders.poll(); rider != null; rider = riders.poll()) {
        waiting.add(rider);
      }
    }
  }

  private final ConcurrentHashMap<String, Lane> lanes = new ConcurrentHashMap<>();
  private final BiConsumer<String, List<Step<?>>> turns;

  /**
   * Creates.
   *
   * @param turns takes a turn; ends every step that it is given, and throws nothing
   */
  Lanes(BiConsumer<String, List<Step<?>>> turns) {
    this.turns = turns;
  }

  /** Has a step done and returns its answer. An interrupt is kept until then: a turn is bounded. */
  <T> T run(String name, Step<T> step) {
    return run(name, step, 0);
  }

  /**
   * Has a step done and returns its answer.
   *
   * @param rideNanos for how long it can wait for a release to take it along, which saves a commit;
   *     the release decides whether it does
   */
  <T> T run(String name, Step<T> step, long rideNanos) {
    Lane lane = lanes.compute(name, (key, old) -> enter(old));
    boolean interrupted = false;
    try {
      if (rideNanos > 0) {
        interrupted = ride(lane, step, System.nanoTime() + rideNanos);
      } else {
        lane.waiting.add(step);
      }
      while (!step.isDone()) {
        if (lane.led.compareAndSet(false, true)) {
          lead(name, lane);
        } else {
          LockSupport.park(lane);
          interrupted |= Thread.interrupted();
        }
      }
      return step.result();
    } finally {
      lanes.computeIfPresent(name, (key, old) -> --old.users == 0 ? null : old);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static Lane enter(@Nullable Lane old) {
    Lane lane = old == null ? new Lane() : old;
    lane.users++;
    return lane;
  }

  /** Answers whether the thread was interrupted, which ends the ride. */
  private static boolean ride(Lane lane, Step<?> step, long deadline) {
    lane.riders.add(step);
    boolean interrupted = false;
    while (!step.isDone() && lane.riders.contains(step)) {
      long left = deadline - System.nanoTime();
      if (left <= 0 || interrupted) {
        lane.endRides();
      } else {
        LockSupport.parkNanos(lane, left);
        interrupted = Thread.interrupted();
      }
    }
    return interrupted;
  }

  private void lead(String name, Lane lane) {
    try {
      List<Step<?>> batch = new ArrayList<>();
      board(lane.waiting, batch);
      if (!lane.riders.isEmpty()) {
        int riders = (int) lane.riders.stream().limit(MOST).count();
        if (batch.stream().anyMatch(step -> step.takesAlong(riders))) {
          board(lane.riders, batch);
        }
      }
      if (!batch.isEmpty()) {
        turns.accept(name, batch);
        failOverdue(name, lane, batch.get(0).fault());
      }
    } finally {
      lane.led.set(false);
      // Looked at after the lead was given up: whoever came before that cannot have taken it.
      Step<?> next = lane.waiting.peek();
      if (next != null) {
        next.lead();
      }
    }
  }

  private static void failOverdue(String name, Lane lane, @Nullable LockException fault) {
    if (fault == null) {
      return;
    }
    for (Iterator<Step<?>> steps = lane.waiting.iterator(); steps.hasNext(); ) {
      Step<?> step = steps.next();
      if (step.isOverdue()) {
        steps.remove();
        step.fail(new BackendUnavailableException(
            "lock '" + name + "': not asked for, since an earlier attempt failed: "
                + fault.getMessage(),
            fault));
      }
    }
  }

  private static void board(Queue<Step<?>> from, List<Step<?>> batch) {
    Step<?> step = batch.size() < MOST ? from.poll() : null;
    while (step != null) {
      batch.add(step);
      step = batch.size() < MOST ? from.poll() : null;
    }
  }
}
