package dev.interlock.internal.engine;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.internal.running.BackendCalls;
import dev.interlock.internal.running.MustNotBlock;
import dev.interlock.internal.running.Unanswered;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Asks the server, on the caller's thread and for the caller, for more time. */
final class Extensions {
  private static final int BATCH = 256;

  private final BackendCalls calls;
  private final Holds holds;

  Extensions(BackendCalls calls, Holds holds) {
    this.calls = calls;
    this.holds = holds;
  }

  /**
   * Asks for more time for each hold, many in one request. What failed quickly is asked for once
   * more: the lease counts from the request that the server runs last.
   *
   * @param needs the hold, and how long it must last from now, in nanoseconds
   * @return false if one was gone
   * @throws LockException if one could not be asked for, or was not answered
   */
  boolean extend(Map<Hold, Long> needs) {
    Map<Hold, Long> valid = new LinkedHashMap<>(needs);
    valid.keySet().removeIf(hold -> !hold.isValid());
    long start = System.nanoTime();
    Map<Hold, LockException> failed = ask(valid);
    if (!failed.isEmpty() && failed.values().stream().allMatch(Extensions::isWorthATry)) {
      if (System.nanoTime() - start <= BackendCalls.QUICK_FAULT) {
        Map<Hold, LockException> before = failed;
        valid.keySet().retainAll(before.keySet());
        failed = ask(valid);
        failed.replaceAll((hold, error) -> told(before.get(hold), error));
      }
    }
    for (LockException error : failed.values()) {
      throw error;
    }
    return needs.keySet().stream().allMatch(Hold::isValid);
  }

  static boolean isWorthATry(LockException error) {
    return error instanceof BackendUnavailableException || error instanceof OutcomeUnknownException;
  }

  private static LockException told(@Nullable LockException before, LockException error) {
    return before instanceof OutcomeUnknownException ? Unanswered.after(before, error) : error;
  }

  /** Sends them, and answers which were not answered. */
  private Map<Hold, LockException> ask(Map<Hold, Long> needs) {
    Map<Hold, LockException> failed = new ConcurrentHashMap<>();
    List<Hold> rest = new ArrayList<>(needs.keySet());
    while (!rest.isEmpty()) {
      List<Hold> batch = rest.subList(0, Math.min(BATCH, rest.size()));
      send(batch, needs, failed);
      batch.clear();
    }
    return failed;
  }

  private void send(List<Hold> batch, Map<Hold, Long> needs, Map<Hold, LockException> failed) {
    Map<HoldId, Hold> byId = new HashMap<>();
    Set<Hold> open = ConcurrentHashMap.newKeySet();
    List<Renewal> renewals = new ArrayList<>(batch.size());
    long sentAt = calls.beforeSending();
    for (Hold hold : batch) {
      RemoteHold remote = hold.remote();
      long lease = Objects.requireNonNull(needs.get(hold));
      byId.put(remote.id(), hold);
      open.add(hold);
      renewals.add(Renewal.of(remote.name(), remote.id(), Duration.ofNanos(lease), false));
      remote.asking(sentAt, lease);
    }
    calls.renew(renewals, (renewal, result) -> {
      Hold hold = Objects.requireNonNull(byId.get(renewal.id()));
      if (result instanceof RenewalResult.Failed fault) {
        failed.put(hold, fault.error());
      } else {
        long lease = renewal.lease().toNanos();
        MustNotBlock.run(() -> holds.renewed(hold.remote(), result, sentAt, lease));
      }
      open.remove(hold);
    });
    // The answer is only just being taken in, on another thread, or could not be.
    open.forEach(hold -> failed.putIfAbsent(
        hold,
        new OutcomeUnknownException(
            "the answer to the extension of lock '" + hold.name() + "' was not taken in")));
  }
}
