package dev.interlock.local;

import dev.interlock.HoldInfo;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One lock: its holds (several only of one shared owner) and its queue. Not thread-safe:
 * {@link LocalSpace#step} runs one step at a time.
 */
final class LocalLock {
  /** An entry of the queue that is not refreshed for this long is dead. */
  private static final long ENTRY_LIFE = Duration.ofSeconds(30).toNanos();

  private static final Duration REFRESH = Duration.ofSeconds(10);
  private static final Duration SOONEST = Duration.ofMillis(1);

  /** Something to tell a client once the step is over. */
  record Notice(String client, Consumer<BackendEvents> tell) {}

  private static final class Held {
    final Attempt attempt;
    final ClientId client;
    final Instant since = Instant.now();
    final long token;
    final int tokens;
    long expiresAt;

    Held(Attempt attempt, ClientId client, long token, int tokens, long expiresAt) {
      this.attempt = attempt;
      this.client = client;
      this.token = token;
      this.tokens = tokens;
      this.expiresAt = expiresAt;
    }

    Grant granted(Attempt asked) {
      return AttemptResult.granted(asked, token).withTokens(tokens);
    }

    boolean has(long one) {
      return token <= one && one < token + tokens;
    }
  }

  private static final class Entry {
    final Attempt attempt;
    final ClientId client;
    long deadline;

    Entry(Attempt attempt, ClientId client, long now) {
      this.attempt = attempt;
      this.client = client;
      refresh(now);
    }

    void refresh(long now) {
      deadline = now + ENTRY_LIFE;
    }
  }

  private final String name;
  private final LocalSpace space;
  private final Map<HoldId, Held> holds = new LinkedHashMap<>();
  private final Map<HoldId, Entry> queue = new LinkedHashMap<>();
  private final List<Notice> notices = new ArrayList<>();

  LocalLock(String name, LocalSpace space) {
    this.name = name;
    this.space = space;
  }

  boolean isIdle() {
    return holds.isEmpty() && queue.isEmpty();
  }

  /** Nobody holds it any more, and nobody waits. */
  boolean isOver(long now) {
    expire(now);
    return isIdle();
  }

  List<Notice> takeNotices() {
    List<Notice> taken = List.copyOf(notices);
    notices.clear();
    return taken;
  }

  AttemptResult attempt(Attempt attempt, ClientId client, long now) {
    expire(now);
    Held held = holds.get(attempt.id());
    if (held != null) {
      prolong(held, attempt.lease(), now);
      return held.granted(attempt);
    }
    if (mayEnter(attempt)) {
      Held entered = enter(attempt, client, now);
      return entered.granted(attempt);
    }
    if (!attempt.waits()) {
      return AttemptResult.busy(recheck(now));
    }
    Entry entry = queue.computeIfAbsent(attempt.id(), id -> new Entry(attempt, client, now));
    entry.refresh(now);
    grantNext(now, null);
    held = holds.get(attempt.id());
    return held != null ? held.granted(attempt) : AttemptResult.queued(recheck(now));
  }

  private boolean mayEnter(Attempt attempt) {
    if (holds.isEmpty()) {
      return queue.isEmpty() || !attempt.fair();
    }
    return isSameOwner(holds.values().iterator().next().attempt, attempt);
  }

  private Held enter(Attempt attempt, ClientId client, long now) {
    queue.remove(attempt.id());
    long expiresAt = now + attempt.lease().toNanos();
    Held held;
    if (holds.isEmpty()) {
      long token = space.tokens(attempt.tokens());
      held = new Held(attempt, client, token, attempt.tokens(), expiresAt);
      wakeSameOwner(attempt);
    } else {
      // A re-entry of the same owner has no token of its own.
      held = new Held(attempt, client, holds.values().iterator().next().token, 1, expiresAt);
    }
    holds.put(attempt.id(), held);
    return held;
  }

  /** Those who may enter beside this hold ask again, for they wait behind others. */
  private void wakeSameOwner(Attempt holder) {
    for (Entry entry : queue.values()) {
      if (isSameOwner(holder, entry.attempt)) {
        HoldId id = entry.attempt.id();
        notices.add(new Notice(entry.client.id(), events -> events.wake(name, id)));
      }
    }
  }

  private static boolean isSameOwner(Attempt holder, Attempt other) {
    return holder.sharedOwner() && other.sharedOwner() && holder.owner().equals(other.owner());
  }

  private static void prolong(Held held, Duration lease, long now) {
    long until = now + lease.toNanos();
    if (until - held.expiresAt > 0) {
      held.expiresAt = until;
    }
  }

  RenewalResult renew(Renewal renewal, long now) {
    expire(now);
    grantNext(now, null);
    Held held = holds.get(renewal.id());
    if (held != null) {
      prolong(held, renewal.lease(), now);
      return RenewalResult.held(renewal, held.token).withTokens(held.tokens);
    }
    Entry entry = queue.get(renewal.id());
    if (entry == null) {
      return RenewalResult.gone();
    }
    entry.refresh(now);
    return RenewalResult.queued(recheck(now));
  }

  ReleaseResult release(Release release, ClientId client, long now) {
    expire(now);
    release.passed().forEach(queue::remove);
    if (holds.remove(release.id()) == null) {
      return ReleaseResult.notHeld();
    }
    Grant granted = grantNext(now, client);
    Attempt next = release.next();
    if (next == null || (granted != null && granted.id().equals(next.id()))) {
      return ReleaseResult.released().withGranted(granted);
    }
    return ReleaseResult.released().withGranted(granted).withNext(attempt(next, client, now));
  }

  void abandon(HoldId id, long now) {
    expire(now);
    holds.remove(id);
    queue.remove(id);
    grantNext(now, null);
  }

  boolean forceRelease(long token, long now) {
    expire(now);
    boolean forced = holds.values().stream().anyMatch(held -> held.has(token));
    if (forced) {
      for (Held victim : holds.values()) {
        HoldId id = victim.attempt.id();
        notices.add(new Notice(victim.client.id(), events -> events.revoked(name, id)));
      }
      holds.clear();
    }
    grantNext(now, null);
    return forced;
  }

  Optional<HoldInfo> inspect(long now) {
    expire(now);
    grantNext(now, null);
    if (holds.isEmpty()) {
      return Optional.empty();
    }
    Held held = holds.values().iterator().next();
    return Optional.of(HoldInfo.of(
        name,
        held.attempt.owner(),
        held.client.host(),
        held.since,
        Duration.ofNanos(lastExpiry() - now),
        held.token,
        queue.size()));
  }

  private void expire(long now) {
    holds.values().removeIf(held -> held.expiresAt - now <= 0);
    queue.values().removeIf(entry -> entry.deadline - now <= 0);
  }

  /**
   * Grants a free lock to the head of the queue.
   *
   * @param releasing the client that is told by the answer instead of by a notice; null for none
   * @return the grant, if that client is to be told by the answer
   */
  private @Nullable Grant grantNext(long now, @Nullable ClientId releasing) {
    if (!holds.isEmpty() || queue.isEmpty()) {
      return null;
    }
    Iterator<Entry> waiting = queue.values().iterator();
    Entry head = waiting.next();
    waiting.remove();
    long notBefore = System.nanoTime();
    Held held = enter(head.attempt, head.client, now);
    Grant grant = held.granted(head.attempt);
    if (head.client.equals(releasing)) {
      return grant;
    }
    notices.add(new Notice(head.client.id(), events -> events.granted(grant, notBefore)));
    return null;
  }

  private long lastExpiry() {
    return holds.values().stream().mapToLong(held -> held.expiresAt).max().orElseThrow();
  }

  /** When a waiter must look again: at the end of the lease, in case nobody releases. */
  private Duration recheck(long now) {
    if (holds.isEmpty()) {
      return SOONEST;
    }
    Duration left = Duration.ofNanos(lastExpiry() - now);
    Duration recheck = left.compareTo(REFRESH) < 0 ? left : REFRESH;
    return recheck.compareTo(SOONEST) < 0 ? SOONEST : recheck;
  }
}
