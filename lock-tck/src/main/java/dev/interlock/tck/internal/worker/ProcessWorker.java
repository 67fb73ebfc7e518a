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

  private final WorkerProcess process;
  private final Opener opener;
  private final boolean owned;

  ProcessWorker(
      String label, Duration patience, WorkerProcess process, Opener opener, boolean owned) {
    super(label, patience);
    this.process = process;
    this.opener = opener;
    this.owned = owned;
  }

  @Override
  public <T extends @Nullable Object> CompletableFuture<T> startOn(String thread, Task<T> task) {
    return process.send(id -> new Message.Run(id, label(), opener, thread, task));
  }

  @Override
  public CompletableFuture<List<SpiCall>> calls(long from, long to, String lock) {
    return process.send(id -> new Message.Calls(id, label(), from, to, lock));
  }

  /** Kills the JVM at once; only for one that was forked for this rule. */
  public void kill() {
    requireOwned();
    process.signal("KILL");
    process.destroy();
  }

  /** Stops the JVM until {@link #resume()}. */
  public void pause() {
    requireOwned();
    process.signal("STOP");
  }

  public void resume() {
    requireOwned();
    process.signal("CONT");
  }

  @Override
  public void close() {
    if (owned) {
      // A paused process ignores everything but this signal.
      process.destroy();
      return;
    }
    CompletableFuture<@Nullable Object> closed = process.send(id -> new Message.Close(id, label()));
    try {
      closed.get(Debugging.limit(CLOSE_LIMIT).toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new WorkerFailedException("closing the clients of " + label() + " failed", e);
    } catch (TimeoutException e) {
      process.destroy();
      throw new WorkerFailedException("closing the clients of " + label() + " hung", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void requireOwned() {
    if (!owned) {
      throw new IllegalStateException("this JVM is shared with other rules");
    }
  }
}
