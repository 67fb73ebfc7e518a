package dev.interlock.tck.internal.worker;

import dev.interlock.tck.internal.spi.SpiCall;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A client in this JVM that stands for one of another. */
public final class InJvmWorker extends Worker {
  private final WorkerSpace space;

  public InJvmWorker(String label, Duration patience, Opener opener) {
    super(label, patience);
    this.space = new WorkerSpace(label, opener);
  }

  @Override
  public <T extends @Nullable Object> CompletableFuture<T> startOn(String thread, Task<T> task) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    space.thread(thread).execute(() -> {
      try {
        answer.complete(task.run(space));
      } catch (Throwable t) {
        answer.completeExceptionally(t);
      }
    });
    return answer;
  }

  @Override
  public CompletableFuture<List<SpiCall>> calls(long from, long to, String lock) {
    return CompletableFuture.completedFuture(space.trace().calls(from, to, lock));
  }

  @Override
  public void close() {
    space.close();
  }
}
