package dev.interlock.tck.internal.worker;

import dev.interlock.tck.internal.spi.SpiCall;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A rule's part of a worker JVM. */
public final class ProcessWorker extends Worker {
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(15);

  /** A JVM that takes longer to be done with a rule is not worth waiting for. */
  private static final Duration REUSE_LIMIT = Duration.ofSeconds(2);

  private final WorkerProcess process;
  private final Opener opener;
  private final @Nullable WorkerPool pool;
  private volatile boolean paused;
  private volatile boolean ended;

  /**
   * Makes one.
   *
   * @param pool takes back a JVM that belongs to one rule; null if several share it
   */
  ProcessWorker(
      String label,
      Duration patience,
      WorkerProcess process,
      Opener opener,
      @Nullable WorkerPool pool) {
    super(label, patience);
    this.process = process;
    this.opener = opener;
    this.pool = pool;
  }

  @Override
  public <T extends @Nullable Object> CompletableFuture<T> startOn(String thread, Task<T> task) {
    return process.send(id -> new Message.Run(id, label(), opener, thread, task));
  }

  @Override
  public CompletableFuture<List<SpiCall>> calls(long from, long to, String lock) {
    return process.send(id -> new Message.Calls(id, label(), from, to, lock));
  }

  long pid() {
    return process.pid();
  }

  /** Kills the JVM at once; only for one that was forked for this rule. */
  public void kill() {
    requireOwned();
    process.signal("KILL");
    process.destroy();
    ended = true;
  }

  /** Stops the JVM until {@link #resume()}. */
  public void pause() {
    requireOwned();
    process.signal("STOP");
    paused = true;
  }

  public void resume() {
    requireOwned();
    process.signal("CONT");
    paused = false;
  }

  @Override
  public void close() {
    if (pool != null) {
      giveBack(pool);
      return;
    }
    try {
      closeSpace(Debugging.limit(CLOSE_LIMIT));
    } catch (ExecutionException e) {
      throw new WorkerFailedException("closing the clients of " + label() + " failed", e);
    } catch (TimeoutException e) {
      process.destroy();
      throw new WorkerFailedException("closing the clients of " + label() + " hung", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** What is stopped, busy or slow ends; every other JVM may serve another rule. */
  private void giveBack(WorkerPool to) {
    if (ended) {
      return;
    }
    ended = true;
    // Asked for before the request to close is sent, which is one that is open.
    if (!paused && process.isReusable()) {
      try {
        closeSpace(REUSE_LIMIT);
        to.takeBack(process);
        return;
      } catch (ExecutionException | TimeoutException e) {
        // It ends, then.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    process.destroy();
  }

  private void closeSpace(Duration limit)
      throws ExecutionException, TimeoutException, InterruptedException {
    CompletableFuture<@Nullable Object> closed = process.send(id -> new Message.Close(id, label()));
    closed.get(limit.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void requireOwned() {
    if (pool == null) {
      throw new IllegalStateException("this JVM is shared with other rules");
    }
  }
}
