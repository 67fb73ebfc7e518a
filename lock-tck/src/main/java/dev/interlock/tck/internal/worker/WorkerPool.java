package dev.interlock.tck.internal.worker;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The worker JVMs of this JVM's runs. A few are shared by all rules, each with clients of its own,
 * since starting a JVM costs more than most rules; those that are killed, stopped or started with
 * other settings belong to one rule at a time.
 */
public final class WorkerPool {
  /** How many JVMs contend in the rules on exclusion. */
  public static final int SHARED = 3;

  private static final Duration CLOCK_LIMIT = Duration.ofSeconds(30);
  private static final int CLOCK_READINGS = 5;
  private static final WorkerPool INSTANCE = new WorkerPool();
  private static final AtomicLong LABELS = new AtomicLong();

  private final List<WorkerProcess> shared = new ArrayList<>();
  private final Deque<WorkerProcess> free = new ArrayDeque<>();
  private int users;

  private WorkerPool() {}

  /** Returns the pool of this JVM; each {@code enter} needs a {@link #leave()}. */
  public static WorkerPool enter() {
    synchronized (INSTANCE) {
      INSTANCE.users++;
    }
    return INSTANCE;
  }

  /** Ends the shared JVMs when the last run is over. */
  public synchronized void leave() {
    users--;
    if (users == 0) {
      shared.forEach(WorkerProcess::destroy);
      shared.clear();
      free.forEach(WorkerProcess::destroy);
      free.clear();
    }
  }

  /** Returns a client in one of the shared JVMs. */
  public Worker shared(String rule, int index, Opener opener, Duration patience) {
    return new ProcessWorker(label(rule), patience, sharedProcess(index % SHARED), opener, null);
  }

  /**
   * Returns a client in a JVM that no other rule uses: one that a rule before has left, or a new
   * one.
   *
   * @param owner the run of the rule, to which its stalls belong
   */
  public ProcessWorker own(String rule, String owner, Opener opener, Duration patience) {
    WorkerProcess left = takeFree();
    if (left == null) {
      return fresh(rule, owner, opener, patience, List.of());
    }
    return new ProcessWorker(label(rule), patience, left.usedBy(owner), opener, this);
  }

  /** Forks a JVM for one rule. */
  public ProcessWorker fresh(
      String rule, String owner, Opener opener, Duration patience, List<String> jvmArguments) {
    WorkerProcess process = WorkerProcess.fork(owner, jvmArguments);
    requireCommonClock(process);
    return new ProcessWorker(label(rule), patience, process, opener, this);
  }

  private synchronized @Nullable WorkerProcess takeFree() {
    WorkerProcess left = free.poll();
    while (left != null && !left.isReusable()) {
      left.destroy();
      left = free.poll();
    }
    return left;
  }

  /** Takes a JVM whose rule is over. */
  synchronized void takeBack(WorkerProcess process) {
    if (users == 0) {
      process.destroy();
    } else {
      free.add(process);
    }
  }

  /** Returns a client in this JVM that stands for one in another. */
  public Worker inThisJvm(String rule, Opener opener, Duration patience) {
    return new InJvmWorker(label(rule), patience, opener);
  }

  private synchronized WorkerProcess sharedProcess(int index) {
    while (shared.size() <= index) {
      shared.add(forkShared());
    }
    if (!shared.get(index).isAlive()) {
      shared.get(index).destroy();
      shared.set(index, forkShared());
    }
    return shared.get(index);
  }

  private static WorkerProcess forkShared() {
    WorkerProcess process = WorkerProcess.fork("", List.of());
    requireCommonClock(process);
    return process;
  }

  private static String label(String rule) {
    return "tck-" + rule + "-" + LABELS.incrementAndGet();
  }

  /**
   * Histories of several JVMs are merged by {@link System#nanoTime()}. On Linux it is one clock for
   * the whole host; this finds out whether it is so here.
   */
  private static void requireCommonClock(WorkerProcess process) {
    for (int i = 0; i < CLOCK_READINGS; i++) {
      long before = System.nanoTime();
      CompletableFuture<@Nullable Object> answer = process.send(Message.Clock::new);
      long there;
      try {
        Object value = answer.get(Debugging.limit(CLOCK_LIMIT).toMillis(), TimeUnit.MILLISECONDS);
        there = value instanceof Long reading ? reading : Long.MIN_VALUE;
      } catch (ExecutionException | TimeoutException e) {
        process.destroy();
        throw new WorkerFailedException("a worker JVM does not answer", e);
      } catch (InterruptedException e) {
        process.destroy();
        Thread.currentThread().interrupt();
        throw new WorkerFailedException("interrupted while a worker JVM started", e);
      }
      if (there - before < 0 || System.nanoTime() - there < 0) {
        process.destroy();
        throw new ClockUnusableException();
      }
    }
  }
}
