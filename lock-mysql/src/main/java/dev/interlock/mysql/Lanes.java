package dev.interlock.mysql;

import java.util.ArrayList;
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
 * those who wait leads the next turn on its own thread. Thread-safe.
 */
final class Lanes {
  private static final int MOST = 128;

  private static final class Lane {
    final Queue<Step<?>> waiting = new ConcurrentLinkedQueue<>();
    final AtomicBoolean led = new AtomicBoolean();
    int users;
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
   * @param rideNanos for how long it can wait for a release to take it along, which saves a commit
   */
  <T> T run(String name, Step<T> step, long rideNanos) {
    Lane lane = lanes.compute(name, (key, old) -> enter(old));
    boolean interrupted = false;
    try {
      lane.waiting.add(step);
      if (rideNanos > 0) {
        LockSupport.parkNanos(lane, rideNanos);
        interrupted = Thread.interrupted();
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

  private void lead(String name, Lane lane) {
    try {
      List<Step<?>> batch = new ArrayList<>();
      Step<?> step = lane.waiting.poll();
      while (step != null) {
        batch.add(step);
        step = batch.size() < MOST ? lane.waiting.poll() : null;
      }
      if (!batch.isEmpty()) {
        turns.accept(name, batch);
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
}
