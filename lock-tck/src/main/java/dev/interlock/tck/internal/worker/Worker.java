package dev.interlock.tck.internal.worker;

import dev.interlock.tck.internal.spi.SpiCall;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A client of the backend in a JVM of its own, or in this one where the state is private to it. */
public abstract class Worker implements AutoCloseable {
  private final String label;
  private final Duration patience;
  private final AtomicLong answers = new AtomicLong();

  Worker(String label, Duration patience) {
    this.label = label;
    this.patience = Debugging.limit(patience);
  }

  /** Returns a name that is unique in the run. */
  public String label() {
    return label;
  }

  /** Starts a task on the worker's thread of this name, exactly so named there. */
  public abstract <T extends @Nullable Object> CompletableFuture<T> startOn(
      String thread, Task<T> task);

  /** Starts a task on a thread whose name no other worker uses. */
  public <T extends @Nullable Object> CompletableFuture<T> start(int thread, Task<T> task) {
    return startOn(label + "-" + thread, task);
  }

  /** Runs a task and waits for it. */
  public <T extends @Nullable Object> T call(Task<T> task) throws Exception {
    return result(start(0, task));
  }

  /** Runs a task on the thread of this name and waits for it. */
  public <T extends @Nullable Object> T callOn(String thread, Task<T> task) throws Exception {
    return result(startOn(thread, task));
  }

  /** Runs a task that answers nothing and waits for it. */
  public void run(Action action) throws Exception {
    call(space -> {
      action.run(space);
      return 0;
    });
  }

  /** Runs a task that answers nothing on the thread of this name and waits for it. */
  public void runOn(String thread, Action action) throws Exception {
    callOn(thread, space -> {
      action.run(space);
      return 0;
    });
  }

  /** Returns how many tasks were waited for, and came to their end. */
  public long answers() {
    return answers.get();
  }

  /** Waits for a task, and throws what it threw. */
  public <T extends @Nullable Object> T result(CompletableFuture<T> started) throws Exception {
    try {
      T answer = started.get(patience.toMillis(), TimeUnit.MILLISECONDS);
      answers.incrementAndGet();
      return answer;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw e;
    } catch (TimeoutException e) {
      throw new WorkerFailedException(
          label + " did not answer within " + patience.toSeconds() + " s", e);
    }
  }

  /**
   * Asks for the last calls of its client at the SPI.
   *
   * @param lock the name of the lock that the calls are about; empty for all
   * @return the calls; never complete if the JVM stands still
   */
  public abstract CompletableFuture<List<SpiCall>> calls(long from, long to, String lock);

  /** Ends the rule's part of the worker, and the JVM if it was forked for this rule alone. */
  @Override
  public abstract void close();

  /** A task without an answer. */
  @FunctionalInterface
  public interface Action extends java.io.Serializable {
    void run(WorkerSpace space) throws Exception;
  }
}
