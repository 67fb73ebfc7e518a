package dev.interlock.measure;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One thread of a round. What it measured may be read once the round is over. */
abstract class RoundThread extends Thread {
  /** The longest that a thread may still wait for its lock when the round is over. */
  private static final Duration DRAIN = Duration.ofSeconds(30);

  private final RoundClock clock;
  private long inTime;
  private long all;
  private @Nullable Throwable failure;

  RoundThread(RoundClock clock, int number) {
    super("round-" + number);
    this.clock = clock;
    // A lock that never comes must not keep the command from ending.
    setDaemon(true);
  }

  /** Takes the lock and releases it once. */
  abstract void section(long number) throws InterruptedException;

  @Override
  public final void run() {
    try {
      clock.awaitStart();
      while (clock.isRunning()) {
        section(all++);
        if (clock.isRunning()) {
          inTime++;
        }
      }
    } catch (Throwable e) {
      // Whatever it is, the round is not worth reporting, and the report must say why.
      failure = e;
      clock.stop();
    }
  }

  /** Returns the sections that ended within the round. */
  final long inTime() {
    return inTime;
  }

  /** Returns all sections, also those of the threads that still waited when the round was over. */
  final long all() {
    return all;
  }

  /**
   * Runs a round of all its threads, and waits for them.
   *
   * @throws HangException if a thread waited without end
   * @throws MeasurementFailedException if a section threw
   */
  static void runAll(List<? extends RoundThread> threads, RoundClock clock, Duration length)
      throws InterruptedException {
    runAll(threads, clock, length, DRAIN);
  }

  static void runAll(
      List<? extends RoundThread> threads, RoundClock clock, Duration length, Duration drain)
      throws InterruptedException {
    threads.forEach(Thread::start);
    clock.start();
    long deadline = System.nanoTime() + length.plus(drain).toNanos();
    for (Thread thread : threads) {
      thread.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
    }
    long waiting = threads.stream().filter(Thread::isAlive).count();
    if (waiting > 0) {
      clock.stop();
      threads.forEach(Thread::interrupt);
      throw new HangException("%d of %d threads still waited %d s after the others had stopped"
          .formatted(waiting, threads.size(), drain.toSeconds()));
    }
    for (RoundThread thread : threads) {
      if (thread.failure != null) {
        throw new MeasurementFailedException(
            "a section failed with " + thread.failure, thread.failure);
      }
    }
  }
}
