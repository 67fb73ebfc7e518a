package dev.interlock.redis.hash;

import dev.interlock.LockException;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.Millis;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Renews many holds and waiters with few scripts: one for all on a single server; in a cluster one
 * for each bucket, since a script's keys must lie on one node, all under way at once, so that a
 * node that does not answer costs the others nothing. Thread-safe.
 */
final class Renewer {
  private static final long HELD = 1;
  private static final long QUEUED = 3;
  private static final long FAILED = 4;

  private final ScriptRunner runner;
  private final KeyLayout layout;
  private final boolean cluster;

  Renewer(ScriptRunner runner, KeyLayout layout, boolean cluster) {
    this.runner = runner;
    this.layout = layout;
    this.cluster = cluster;
  }

  /** The places in the batch of what is renewed by one script, by lock. */
  private record Part(Map<String, List<Integer>> locks, ScriptRunner.Sent sent) {}

  List<RenewalResult> renew(List<Renewal> batch) {
    RenewalResult[] results = new RenewalResult[batch.size()];
    List<Part> parts = new ArrayList<>();
    for (Map<String, List<Integer>> locks : grouped(batch)) {
      try {
        parts.add(new Part(locks, send(batch, locks)));
      } catch (LockException e) {
        fail(results, locks, e);
      }
    }
    for (Part part : parts) {
      try {
        read(part, results);
      } catch (LockException e) {
        fail(results, part.locks(), e);
      }
    }
    return Arrays.asList(results);
  }

  private Collection<Map<String, List<Integer>>> grouped(List<Renewal> batch) {
    Map<Integer, Map<String, List<Integer>>> groups = new LinkedHashMap<>();
    for (int i = 0; i < batch.size(); i++) {
      String lock = batch.get(i).name();
      groups
          .computeIfAbsent(
              cluster ? layout.keys(lock).bucket() : 0, bucket -> new LinkedHashMap<>())
          .computeIfAbsent(lock, key -> new ArrayList<>())
          .add(i);
    }
    return groups.values();
  }

  private ScriptRunner.Sent send(List<Renewal> batch, Map<String, List<Integer>> locks) {
    ScriptCall call = new ScriptCall(Scripts.RENEW).with(layout.mailboxPrefix());
    locks.forEach((lock, places) -> {
      call.on(layout.keys(lock)).with(places.size());
      for (int place : places) {
        Renewal renewal = batch.get(place);
        call.with(renewal.id().toString())
            .with(Millis.roundedUp(renewal.lease()))
            .with(renewal.queued());
      }
    });
    return runner.send("renew", call.first().name(), call);
  }

  private static void read(Part part, RenewalResult[] results) {
    Answer answer = part.sent().await();
    part.locks().forEach((lock, places) -> {
      for (int place : places) {
        results[place] = result(lock, answer);
      }
    });
  }

  private static RenewalResult result(String lock, Answer answer) {
    long kind = answer.number();
    long first = answer.number();
    long second = answer.number();
    if (kind == HELD) {
      return new RenewalResult.Held(first, Math.toIntExact(second));
    }
    if (kind == QUEUED) {
      return new RenewalResult.Queued(HashBackend.recheck(first));
    }
    if (kind == FAILED) {
      return new RenewalResult.Failed(new LockException("Redis could not renew lock '" + lock
          + "': other software uses its keys. Choose another namespace, or remove what is there"
          + " with forceRelease"));
    }
    return new RenewalResult.Gone();
  }

  private static void fail(
      RenewalResult[] results, Map<String, List<Integer>> locks, LockException error) {
    locks
        .values()
        .forEach(
            places -> places.forEach(place -> results[place] = new RenewalResult.Failed(error)));
  }
}
