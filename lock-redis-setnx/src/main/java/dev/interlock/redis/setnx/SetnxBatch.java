package dev.interlock.redis.setnx;

import dev.interlock.HoldInfo;
import dev.interlock.LockException;
import dev.interlock.redis.support.ScriptCall;
import dev.interlock.redis.support.jedis.Connections.Use;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BatchBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Scripts that are sent in one go. Those that look stand behind all others. If one of these had to
 * be sent again, or needs the longer script, or if they are on several servers, the looks are sent
 * again behind them, and only that answer counts.
 */
final class SetnxBatch implements BatchBackend.Batch {
  private static final String ACTION = "serve a batch with";

  private final SetnxBackend backend;
  private final ScriptRunner runner;
  private final List<Question<?>> questions = new ArrayList<>();
  private final List<Question<?>> looks = new ArrayList<>();

  /** Attempts that the shorter script has left to the longer one. */
  private final Queue<Question<?>> left = new ConcurrentLinkedQueue<>();

  /** The answers to the looks, by place. */
  private final Map<Integer, Object> seen = new ConcurrentHashMap<>();

  private Use use = Use.ATTEMPT;
  private ScriptRunner.@Nullable Pass sent;

  SetnxBatch(SetnxBackend backend, ScriptRunner runner) {
    this.backend = backend;
    this.runner = runner;
  }

  /**
   * A script and who wants to know its answer.
   *
   * @param reader returns null if the script has left it to another one
   */
  private record Question<T>(
      ScriptCall call, Function<Object, @Nullable T> reader, CompletableFuture<T> result) {

    void take(Object answer) {
      if (answer instanceof LockException failure) {
        result.completeExceptionally(failure);
        return;
      }
      try {
        T value = reader.apply(answer);
        if (value != null) {
          result.complete(value);
        }
      } catch (RuntimeException e) {
        result.completeExceptionally(e);
      }
    }
  }

  @Override
  public CompletableFuture<AttemptResult> attempt(Attempt attempt) {
    CompletableFuture<AttemptResult> result = new CompletableFuture<>();
    questions.add(new Question<>(
        backend.attemptOf(attempt),
        answer -> {
          AttemptResult made = backend.attempted(attempt, answer);
          if (made == null) {
            left.add(new Question<>(
                backend.acquisitionOf(attempt),
                longer -> backend.attempted(attempt, longer),
                result));
          }
          return made;
        },
        result));
    return result;
  }

  @Override
  public CompletableFuture<ReleaseResult> release(Release release) {
    use = Use.HOLDER; // it must not wait for attempts to give a connection back
    CompletableFuture<ReleaseResult> result = new CompletableFuture<>();
    questions.add(new Question<>(backend.releaseOf(release), SetnxBackend::released, result));
    return result;
  }

  @Override
  public CompletableFuture<RenewalResult> renew(Renewal renewal) {
    use = Use.HOLDER;
    CompletableFuture<RenewalResult> result = new CompletableFuture<>();
    questions.add(new Question<>(
        backend.renewalOf(renewal), answer -> SetnxBackend.renewed(renewal, answer), result));
    return result;
  }

  @Override
  public CompletableFuture<Optional<HoldInfo>> inspect(String name) {
    CompletableFuture<Optional<HoldInfo>> result = new CompletableFuture<>();
    looks.add(new Question<>(
        backend.inspectionOf(name), answer -> SetnxBackend.holder(name, answer), result));
    return result;
  }

  @Override
  public boolean send() {
    sent = runner.begin(use, ACTION, calls(all()), this::take);
    return sent != null;
  }

  @Override
  public boolean await(long nanos) {
    if (sent == null || !sent.await(nanos) || !left.isEmpty()) {
      return false;
    }
    takeLooks();
    return true;
  }

  @Override
  public void run() {
    boolean once = sent == null ? run(all(), this::take) : sent.finish();
    if (once && left.isEmpty()) {
      takeLooks();
      return;
    }
    List<Question<?>> longer = List.copyOf(left);
    var unused = run(longer, (answer, place) -> longer.get(place).take(answer));
    var unusedToo = run(looks, (answer, place) -> looks.get(place).take(answer));
  }

  private List<Question<?>> all() {
    List<Question<?>> all = new ArrayList<>(questions);
    all.addAll(looks);
    return all;
  }

  /** What the looks have seen waits until it is known that all others were before them. */
  private void take(Object answer, int place) {
    if (place < questions.size()) {
      questions.get(place).take(answer);
    } else {
      seen.put(place - questions.size(), answer);
    }
  }

  private void takeLooks() {
    seen.forEach((place, answer) -> looks.get(place).take(answer));
  }

  private boolean run(List<Question<?>> some, ObjIntConsumer<Object> answers) {
    return runner.runAll(use, ACTION, calls(some), answers);
  }

  private static List<ScriptCall> calls(List<Question<?>> some) {
    List<ScriptCall> calls = new ArrayList<>(some.size());
    some.forEach(question -> calls.add(question.call()));
    return calls;
  }
}
