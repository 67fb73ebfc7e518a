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
import dev.interlock.spi.WaiterInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One lock: its holds (several of one shared owner, or of those who share it) and its queue. Not
 * thread-safe: {@link LocalSpace#step} runs one step at a time.
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
    final int tokens;
    long token;
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

    boolean isOfSameOwner(Attempt other) {
      return attempt.sharedOwner() && other.sharedOwner() && attempt.owner().equals(other.owner());
    }

    /** Whether it is a re-entry of its owner to ask for this. */
    boolean covers(Attempt other) {
      return isOfSameOwner(other) && attempt.capacity() <= other.capacity();
    }
  }

  private static final class Entry {
    final Attempt attempt;
    final ClientId client;
    final Instant since = Instant.now();
    long deadline;

    Entry(Attempt attempt, ClientId client, long now) {
      this.attempt = attempt;
      this.client = client;
      refresh(now);
    }

    void refresh(long now) {
      deadline = now + ENTRY_LIFE;
    }

    WaiterInfo info() {
      return WaiterInfo.of(attempt.owner(), client.host())
          .withSince(since)
          .withUnits(attempt.units(), attempt.capacity());
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
    boolean inTurn = queue.isEmpty() || !attempt.fair();
    if (holds.isEmpty()) {
      return inTurn;
    }
    boolean own = attempt.beside() != null && holds.containsKey(attempt.beside());
    if (own || holds.values().stream().anyMatch(held -> held.covers(attempt))) {
      return true;
    }
    return (inTurn || ownerHolds(attempt)) && fits(attempt);
  }

  private boolean ownerHolds(Attempt attempt) {
    return holds.values().stream().anyMatch(held -> held.isOfSameOwner(attempt));
  }

  /** Whether there is room for it beside those who hold the lock. */
  private boolean fits(Attempt attempt) {
    long units = attempt.units();
    int capacity = attempt.capacity();
    for (Held held : holds.values()) {
      if (!held.isOfSameOwner(attempt)) {
        units += held.attempt.units();
        capacity = Math.min(capacity, held.attempt.capacity());
      }
    }
    return units <= capacity;
  }

  private Held enter(Attempt attempt, ClientId client, long now) {
    queue.remove(attempt.id());
    long expiresAt = now + attempt.lease().toNanos();
    // A re-entry of the same owner has no token of its own.
    Held outer =
        holds.values().stream().filter(held -> held.covers(attempt)).findFirst().orElse(null);
    Held held = outer == null
        ? new Held(attempt, client, space.tokens(attempt.tokens()), attempt.tokens(), expiresAt)
        : new Held(attempt, client, outer.token, 1, expiresAt);
    holds.put(attempt.id(), held);
    if (outer == null) {
      wakeSameOwner(held);
    }
    return held;
  }

  /** Those who may enter beside this hold ask again, for they wait behind others. */
  private void wakeSameOwner(Held holder) {
    for (Entry entry : queue.values()) {
      if (holder.covers(entry.attempt)) {
        HoldId id = entry.attempt.id();
        notices.add(new Notice(entry.client.id(), events -> events.wake(name, id)));
      }
    }
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
      raise(held, renewal.minToken());
      return RenewalResult.held(renewal, held.token).withTokens(held.tokens);
    }
    Entry entry = queue.get(renewal.id());
    if (entry == null) {
      return RenewalResult.gone();
    }
    entry.refresh(now);
    return RenewalResult.queued(recheck(now)).withOwnerHolds(ownerHolds(entry.attempt));
  }

  private void raise(Held held, long minToken) {
    if (held.token < minToken) {
      held.token = minToken;
      space.reserveUpTo(minToken + held.tokens - 1);
    }
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
    List<Held> victims = holds.values().stream().filter(held -> held.has(token)).toList();
    for (Held victim : victims) {
      HoldId id = victim.attempt.id();
      holds.remove(id);
      notices.add(new Notice(victim.client.id(), events -> events.revoked(name, id)));
    }
    grantNext(now, null);
    return !victims.isEmpty();
  }

  Optional<HoldInfo> inspect(long now) {
    expire(now);
    grantNext(now, null);
    // Entries of one owner have one token, and are one hold.
    Map<Long, HoldInfo> byToken = new LinkedHashMap<>();
    for (Held held : holds.values()) {
      byToken.computeIfAbsent(held.token, token -> info(held, now));
    }
    List<HoldInfo> found = List.copyOf(byToken.values());
    return found.stream()
        .findFirst()
        .map(first -> first.withOthers(found.subList(1, found.size())));
  }

  private HoldInfo info(Held held, long now) {
    long last = holds.values().stream()
        .filter(entry -> entry.token == held.token)
        .mapToLong(entry -> entry.expiresAt)
        .max()
        .orElseThrow();
    return HoldInfo.of(
            name,
            held.attempt.owner(),
            held.client.host(),
            held.since,
            Duration.ofNanos(last - now),
            held.token,
            queue.size())
        .withUnits(held.attempt.units(), held.attempt.capacity());
  }

  List<WaiterInfo> waiters(int limit, long now) {
    expire(now);
    grantNext(now, null);
    return queue.values().stream().limit(limit).map(Entry::info).toList();
  }

  private void expire(long now) {
    holds.values().removeIf(held -> held.expiresAt - now <= 0);
    queue.values().removeIf(entry -> entry.deadline - now <= 0);
  }

  /**
   * Grants what is free of the lock to the head of the queue, and then to those behind it, until
   * one does not fit.
   *
   * @param releasing the client whose first waiter is told by the answer instead of by a notice;
   *     null for none
   * @return the grant, if that client is to be told by the answer
   */
  private @Nullable Grant grantNext(long now, @Nullable ClientId releasing) {
    Grant answer = null;
    while (!queue.isEmpty()) {
      Entry head = queue.values().iterator().next();
      if (!fits(head.attempt)) {
        break;
      }
      long notBefore = System.nanoTime();
      Grant grant = enter(head.attempt, head.client, now).granted(head.attempt);
      if (answer == null && head.client.equals(releasing)) {
        answer = grant;
      } else {
        notices.add(new Notice(head.client.id(), events -> events.granted(grant, notBefore)));
      }
    }
    return answer;
  }

  /** When a waiter must look again: at the end of a lease, in case nobody releases. */
  private Duration recheck(long now) {
    if (holds.isEmpty()) {
      return SOONEST;
    }
    long first = holds.values().stream().mapToLong(held -> held.expiresAt).min().orElseThrow();
    Duration left = Duration.ofNanos(first - now);
    Duration recheck = left.compareTo(REFRESH) < 0 ? left : REFRESH;
    return recheck.compareTo(SOONEST) < 0 ? SOONEST : recheck;
  }
}
