package dev.interlock.redis.hash.internal.backend;

import dev.interlock.LockException;
import dev.interlock.redis.hash.internal.connection.Connections;
import dev.interlock.redis.hash.internal.script.Answer;
import dev.interlock.redis.hash.internal.script.ScriptRunner;
import dev.interlock.redis.hash.internal.script.Scripts;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.Millis;
import dev.interlock.redis.support.RedisErrors;
import dev.interlock.redis.support.ScriptCall;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.spi.Uninterruptibly;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Renews many holds and waiters with few scripts: one for all on a single server; in a cluster one
 * for each bucket, since a script's keys must lie on one node, all under way at once, each answered
 * when its node has answered, so that one that does not costs the others nothing. Thread-safe.
 */
final class Renewer {
  private static final long HELD = 1;
  private static final long QUEUED = 3;
  private static final long FAILED = 4;

  private final ScriptRunner runner;
  private final KeyLayout layout;
  private final Connections connections;

  Renewer(ScriptRunner runner, KeyLayout layout, Connections connections) {
    this.runner = runner;
    this.layout = layout;
    this.connections = connections;
  }

  /** What is renewed by one script, in the order of its answer. */
  private final class Part {
    private final List<Renewal> renewals;
    private final ScriptRunner.Sent sent;
    private final RenewalAnswers answers;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final CountDownLatch done = new CountDownLatch(1);

    Part(List<Renewal> renewals, ScriptRunner.Sent sent, RenewalAnswers answers) {
      this.renewals = renewals;
      this.sent = sent;
      this.answers = answers;
    }

    /** Passes the answer on, once: on Lettuce's thread when it comes, or where it is awaited. */
    void answer() {
      if (!begun.compareAndSet(false, true)) {
        return;
      }
      try {
        Answer answer = sent.await();
        for (Renewal renewal : renewals) {
          answers.answer(renewal, result(renewal, answer));
        }
      } catch (LockException e) {
        fail(renewals, answers, e);
      } finally {
        done.countDown();
      }
    }

    /** Another thread may be about to pass it on. */
    void awaitDone() {
      var unused = Uninterruptibly.await(() -> {
        done.await();
        return true;
      });
    }
  }

  void renew(List<Renewal> batch, RenewalAnswers answers) {
    List<Part> parts = new ArrayList<>();
    for (Map<String, List<Integer>> locks : grouped(batch)) {
      List<Renewal> renewals =
          locks.values().stream().flatMap(List::stream).map(batch::get).toList();
      try {
        parts.add(new Part(renewals, send(batch, locks), answers));
      } catch (LockException e) {
        fail(renewals, answers, e);
      }
    }
    for (Part part : parts) {
      part.sent.whenAnswered(part::answer);
    }
    parts.forEach(Part::answer);
    parts.forEach(Part::awaitDone);
  }

  private Collection<Map<String, List<Integer>>> grouped(List<Renewal> batch) {
    Map<Integer, Map<String, List<Integer>>> groups = new LinkedHashMap<>();
    for (int i = 0; i < batch.size(); i++) {
      String lock = batch.get(i).name();
      groups
          .computeIfAbsent(
              connections.isCluster() ? layout.keys(lock).bucket() : 0,
              bucket -> new LinkedHashMap<>())
          .computeIfAbsent(lock, key -> new ArrayList<>())
          .add(i);
    }
    return groups.values();
  }

  /**
   * Sends one, and returns what waits for the answer, passes it on, and throws what {@code Failed}
   * would tell.
   */
  Supplier<RenewalResult> send(Renewal renewal, RenewalAnswers answers) {
    ScriptRunner.Sent sent = send(List.of(renewal), Map.of(renewal.name(), List.of(0)));
    return () -> {
      RenewalResult result = result(renewal, sent.await());
      answers.answer(renewal, result);
      if (result instanceof RenewalResult.Failed failed) {
        throw failed.error();
      }
      return result;
    };
  }

  private ScriptRunner.Sent send(List<Renewal> batch, Map<String, List<Integer>> locks) {
    ScriptCall call = new ScriptCall(Scripts.RENEW).with(layout.mailboxPrefix());
    locks.forEach((lock, places) -> {
      call.on(layout.keys(lock)).with(places.size());
      for (int place : places) {
        Renewal renewal = batch.get(place);
        call.with(renewal.id())
            .with(Millis.roundedUp(renewal.lease()))
            .with(renewal.queued())
            .with(renewal.minToken());
      }
    });
    return runner.send("renew", call.first().name(), call);
  }

  private RenewalResult result(Renewal renewal, Answer answer) {
    long kind = answer.number();
    if (kind == FAILED) {
      return RenewalResult.failed(
          failure(connections.address(), renewal.name(), answer.word().replace('\1', ' ')));
    }
    long first = answer.number();
    long second = answer.number();
    if (kind == HELD) {
      return RenewalResult.held(renewal, first).withTokens(Math.toIntExact(second));
    }
    if (kind == QUEUED) {
      return RenewalResult.queued(Outcomes.recheck(first)).withOwnerHolds(second == 1);
    }
    return RenewalResult.gone();
  }

  /** What cannot be read is that of other software, unless the server itself refused something. */
  static LockException failure(String address, String name, String why) {
    LockException refused =
        RedisErrors.refused(RedisErrors.describe("renew", name), address, why, null);
    return refused.getClass() != LockException.class
        ? refused
        : new LockException("Redis could not renew lock '" + name
            + "': other software uses its keys (" + why + "). Choose another namespace, or remove"
            + " what is there with forceRelease");
  }

  private static void fail(List<Renewal> renewals, RenewalAnswers answers, LockException error) {
    renewals.forEach(renewal -> answers.answer(renewal, RenewalResult.failed(error)));
  }
}
