package dev.interlock.redis.hash.internal.backend;

import dev.interlock.HoldInfo;
import dev.interlock.LockException;
import dev.interlock.redis.hash.internal.script.ScriptRunner;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BatchBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Scripts that are under way at once on one connection, which the server answers in their order.
 * Those that look are sent behind all others. If one of these had to be sent again, they look once
 * more, and only that answer counts; in a cluster, where nodes answer in no order, they look only
 * then.
 */
final class HashBatch implements BatchBackend.Batch {
  private final HashBackend backend;
  private final List<Question<?>> questions = new ArrayList<>();
  private final List<Question<?>> looks = new ArrayList<>();
  private boolean inOrder;

  HashBatch(HashBackend backend, boolean cluster) {
    this.backend = backend;
    this.inOrder = !cluster;
  }

  /**
   * What is sent first, and answered later.
   *
   * @param sender sends it, and returns what waits for the answer
   */
  private record Question<T>(Supplier<Supplier<T>> sender, CompletableFuture<T> result) {

    /** Sends it, and returns what gives the answer. */
    Runnable send() {
      Supplier<T> answer = sender.get();
      return () -> {
        try {
          result.complete(answer.get());
        } catch (Throwable e) { // those behind it are awaited all the same
          result.completeExceptionally(e);
        }
      };
    }
  }

  private static <T> CompletableFuture<T> add(List<Question<?>> to, Supplier<Supplier<T>> sender) {
    CompletableFuture<T> result = new CompletableFuture<>();
    to.add(new Question<>(sender, result));
    return result;
  }

  @Override
  public CompletableFuture<AttemptResult> attempt(Attempt attempt) {
    return add(questions, () -> {
      ScriptRunner.Sent sent = backend.begin(attempt);
      return () -> {
        AttemptResult made = backend.attempted(attempt, sent);
        inOrder &= made != null && !sent.wasSentAgain();
        return made == null ? backend.attempt(attempt) : made;
      };
    });
  }

  @Override
  public CompletableFuture<ReleaseResult> release(Release release) {
    return add(questions, () -> backend.begin(release)::finish);
  }

  @Override
  public CompletableFuture<RenewalResult> renew(Renewal renewal) {
    return add(questions, () -> backend.begin(renewal));
  }

  @Override
  public CompletableFuture<Optional<HoldInfo>> inspect(String name) {
    return add(looks, () -> {
      if (!inOrder) {
        return () -> backend.inspect(name);
      }
      ScriptRunner.Sent sent = backend.beginInspection(name);
      return () -> {
        Optional<HoldInfo> seen = Inspection.holder(name, sent.await());
        return inOrder ? seen : backend.inspect(name);
      };
    });
  }

  @Override
  public void run() {
    List<Question<?>> all = new ArrayList<>(questions);
    all.addAll(looks);
    List<Runnable> answers = new ArrayList<>();
    LockException disconnected = null;
    for (Question<?> question : all) {
      try {
        if (disconnected == null) {
          answers.add(question.send());
        }
      } catch (LockException e) {
        disconnected = e; // those behind it would wait as long for a connection
      } catch (Throwable e) { // what was sent is awaited all the same
        question.result().completeExceptionally(e);
      }
      if (disconnected != null) {
        question.result().completeExceptionally(disconnected);
      }
    }
    answers.forEach(Runnable::run);
  }
}
