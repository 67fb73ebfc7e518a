package dev.interlock.compare.peers;

import dev.interlock.BackendUnavailableException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The thread that owns a lease: these libraries tie ownership to threads, a lease belongs to its
 * handle. Ends when it is released. Thread-safe.
 */
final class HandleThread implements Caller {
  private final ExecutorService thread;

  HandleThread(String name) {
    thread = Executors.newSingleThreadExecutor(work -> {
      Thread created = new Thread(work, "peer-handle-" + name);
      created.setDaemon(true);
      return created;
    });
  }

  /** A call on the thread, which can be interrupted before it begins, too. */
  private static final class Running {
    private @Nullable Thread thread;
    private boolean interrupted;

    synchronized void begin() {
      thread = Thread.currentThread();
      if (interrupted) {
        thread.interrupt();
      }
    }

    synchronized void end() {
      thread = null;
      // What came too late must not reach the next call.
      Thread.interrupted();
    }

    synchronized void interrupt() {
      interrupted = true;
      if (thread != null) {
        thread.interrupt();
      }
    }
  }

  /** Runs a call on the thread; an interruption of the caller is passed on to it. */
  @Override
  public <T> T call(Callable<T> call) throws InterruptedException {
    Running running = new Running();
    Future<T> answer;
    try {
      answer = thread.submit(() -> {
        running.begin();
        try {
          return call.call();
        } finally {
          running.end();
        }
      });
    } catch (RejectedExecutionException e) {
      throw new BackendUnavailableException("the client is closed", e);
    }
    boolean interrupted = false;
    while (true) {
      try {
        T result = answer.get();
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
        return result;
      } catch (InterruptedException e) {
        interrupted = true;
        running.interrupt();
      } catch (ExecutionException e) {
        throw failure(e.getCause(), interrupted);
      }
    }
  }

  private static RuntimeException failure(@Nullable Throwable cause, boolean interrupted)
      throws InterruptedException {
    if (cause instanceof InterruptedException e) {
      throw e;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return cause instanceof RuntimeException e ? e : new IllegalStateException(cause);
  }

  @Override
  public void end() {
    thread.shutdown();
  }

  /** Ends the thread, also in the middle of a call. */
  void stop() {
    thread.shutdownNow();
  }
}
