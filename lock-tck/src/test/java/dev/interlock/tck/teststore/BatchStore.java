package dev.interlock.tck.teststore;

import dev.interlock.HoldInfo;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BatchBackend;
import dev.interlock.spi.ForwardingBackend;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Questions in one go, among which the looks come first, for a fault. */
final class BatchStore implements ForwardingBackend, BatchBackend {
  private final StoreBackend backend;

  BatchStore(StoreBackend backend) {
    this.backend = backend;
  }

  @Override
  public LockBackend backend() {
    return backend;
  }

  @Override
  public Batch batch() {
    return new Questions();
  }

  private final class Questions implements Batch {
    private final List<Runnable> looks = new ArrayList<>();
    private final List<Runnable> others = new ArrayList<>();

    @Override
    public CompletableFuture<AttemptResult> attempt(Attempt attempt) {
      return add(others, () -> backend.attempt(attempt));
    }

    @Override
    public CompletableFuture<ReleaseResult> release(Release release) {
      return add(
          others,
          () -> backend.release(release.name(), release.id())
              ? ReleaseResult.released()
              : ReleaseResult.notHeld());
    }

    @Override
    public CompletableFuture<Optional<HoldInfo>> inspect(String name) {
      return add(looks, () -> backend.inspect(name));
    }

    @Override
    public CompletableFuture<RenewalResult> renew(Renewal renewal) {
      return add(others, () -> RenewalAnswers.collect(backend, List.of(renewal)).get(0));
    }

    private static <T> CompletableFuture<T> add(List<Runnable> questions, Supplier<T> question) {
      CompletableFuture<T> answer = new CompletableFuture<>();
      questions.add(() -> {
        try {
          answer.complete(question.get());
        } catch (RuntimeException e) {
          answer.completeExceptionally(e);
        }
      });
      return answer;
    }

    @Override
    public void run() {
      looks.forEach(Runnable::run);
      others.forEach(Runnable::run);
    }
  }
}
