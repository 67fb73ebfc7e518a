package dev.interlock.tck.internal.run;

import dev.interlock.spi.LockBackend;
import dev.interlock.tck.internal.history.Violation;
import dev.interlock.tck.internal.spi.SpiCall;
import dev.interlock.tck.internal.spi.SpiTrace;
import dev.interlock.tck.internal.spi.TracedBackend;
import dev.interlock.tck.internal.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The calls of a rule's clients at the SPI, in this JVM and in its workers. Thread-safe. */
final class SpiCalls {
  /** How long all workers together may take to tell theirs: one may be stopped. */
  private static final Duration LIMIT = Duration.ofSeconds(2);

  private final SpiTrace trace = new SpiTrace();
  private final AtomicInteger directs = new AtomicInteger();

  /** Returns what notes the calls of a client in this JVM. */
  UnaryOperator<LockBackend> of(String client) {
    return backend -> TracedBackend.of(backend, client, trace);
  }

  /** Returns what notes the calls that the kit makes itself. */
  UnaryOperator<LockBackend> ofTheKit() {
    return of("direct-" + directs.incrementAndGet());
  }

  /**
   * Tells the last calls of a test that failed. Blocks until the workers have told theirs, for two
   * seconds at the most.
   *
   * @param start when the test began
   * @param violation if two holds were wrong, these: then what counts is what was called on their
   *     lock until the second one began
   */
  List<String> lines(long start, @Nullable Violation violation, List<Worker> workers) {
    long to = violation == null ? System.nanoTime() : violation.second().acquired();
    String lock = violation == null ? "" : violation.second().name();
    List<SpiCall> calls = new ArrayList<>(trace.calls(start, to, lock));
    long deadline = System.nanoTime() + LIMIT.toNanos();
    List<CompletableFuture<List<SpiCall>>> asked =
        workers.stream().map(worker -> worker.calls(start, to, lock)).toList();
    for (CompletableFuture<List<SpiCall>> answer : asked) {
      try {
        calls.addAll(answer.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS));
      } catch (ExecutionException | TimeoutException e) {
        // It is dead, or stands still: what it called is not known.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    return SpiCall.lines(calls, start);
  }
}
