package dev.interlock.mysql;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What happens to one lock in one transaction: its row and the head of its queue, read under the
 * row lock, and what releases and attempts make of them. Decides everything and does no I/O except
 * for reading on in a queue whose head is dead. Not thread-safe.
 */
final class Transition {
  private final LockRow row;
  private final long now;
  private final long graceUs;
  private final LocalClient me;
  private final LongFunction<List<Entry>> readOn;
  private final TreeMap<Long, Entry> shares = new TreeMap<>();

  // The head of the queue without gaps, and apart from it waiters that were read for their ids.
  private final TreeMap<Long, Entry> waiters = new TreeMap<>();
  private final TreeMap<Long, Entry> others = new TreeMap<>();
  private final Changes changes = new Changes();
  private @Nullable Entry served;
  private List<HoldId> heirs = List.of();
  private boolean queueRead;

  /**
   * Starts.
   *
   * @param row the row; changed in place
   * @param entries all further holds and the first waiters
   * @param whole whether these are all the waiters
   * @param asked waiters that were asked for by id, wherever they stand
   * @param now the server's clock
   * @param graceUs for how long a waiter counts after its entry has run out
   * @param me this client
   * @param readOn reads the waiters behind a ticket; an empty answer means that there are none
   */
  Transition(
      LockRow row,
      List<Entry> entries,
      boolean whole,
      List<Entry> asked,
      long now,
      long graceUs,
      LocalClient me,
      LongFunction<List<Entry>> readOn) {
    this.row = row;
    this.now = now;
    this.graceUs = graceUs;
    this.me = me;
    this.readOn = readOn;
    this.queueRead = whole;
    for (Entry entry : entries) {
      (entry.kind == Entry.SHARE ? shares : waiters).put(entry.ticket, entry);
    }
    for (Entry entry : asked) {
      if (entry.kind == Entry.WAITER && !waiters.containsKey(entry.ticket)) {
        others.put(entry.ticket, entry);
      }
    }
    if (whole && row.entries != shares.size() + waiters.size()) {
      row.entries = shares.size() + waiters.size(); // somebody emptied the table by hand
      changes.rowChanged();
    }
    expire();
  }

  LockRow row() {
    return row;
  }

  Changes changes() {
    return changes;
  }

  /** The waiter of this client that {@link #serve} has granted the lock to, for one to tell it. */
  @Nullable
  Grant takeGrant(String name) {
    Entry waiter = served;
    served = null;
    return waiter == null
        ? null
        : Grant.of(name, waiter.id(), row.token, Protocol.ofMicros(waiter.leaseUs))
            .withTokens(row.tokens)
            .withHeirs(heirs);
  }

  private void expire() {
    for (Entry share : List.copyOf(shares.values())) {
      if (share.untilUs <= now) {
        drop(share);
      }
    }
    if (row.isFree() || row.untilUs > now) {
      return;
    }
    if (row.claimant == 0) {
      dropBacking();
    } else if (row.claimant != me.client()) {
      // It did not come for its grant. Its entries keep their places but are passed over.
      changes.putToSleep(row.claimant);
      waiters.values().stream()
          .filter(entry -> entry.client == row.claimant)
          .forEach(entry -> entry.asleep = true);
    }
    freeOrPromote();
  }

  private void freeOrPromote() {
    row.free();
    changes.rowChanged();
    if (!shares.isEmpty()) {
      Entry share = shares.firstEntry().getValue();
      row.promote(share);
      drop(share);
    }
  }

  private void dropBacking() {
    if (row.ticket > 0) {
      Entry backing = waiters.get(row.ticket);
      if (backing == null) {
        changes.delete(Entry.WAITER, row.ticket);
        row.entries--;
      } else {
        drop(backing);
      }
    }
  }

  private void drop(Entry entry) {
    (entry.kind == Entry.SHARE ? shares : waiters).remove(entry.ticket);
    others.remove(entry.ticket);
    changes.delete(entry);
    row.entries--;
    changes.rowChanged();
  }

  /** Gives a hold up; false if it is not there. */
  boolean release(HoldId id) {
    if (row.isHeldBy(id)) {
      dropBacking();
      freeOrPromote();
      return true;
    }
    Entry share = find(shares, id);
    if (share != null) {
      drop(share);
    }
    return share != null;
  }

  /**
   * Removes the entry of a waiter that has had the lock by inheritance, and what it was granted
   * since if the hold under which it had the lock was taken away.
   *
   * @return false if it was not found among those that were read
   */
  boolean dropHeir(HoldId id) {
    if (release(id)) {
      return true;
    }
    Entry entry = waiter(id);
    if (entry != null) {
      drop(entry);
    }
    return entry != null || queueRead;
  }

  /** Removes whatever has this id. */
  void abandon(HoldId id) {
    if (!release(id)) {
      Entry waiter = waiter(id);
      if (waiter != null) {
        drop(waiter);
      }
    }
  }

  /** Takes the lock from all who hold it with this token, and answers who they were. */
  List<HoldId> force(long token) {
    List<HoldId> victims = new ArrayList<>();
    while (row.hasToken(token)) {
      victims.add(row.id());
      release(row.id());
    }
    return victims;
  }

  /** Grants a free lock to the first waiter that can take it. */
  void serve() {
    if (row.isFree()) {
      Entry next = firstAwake();
      if (next != null) {
        boolean mine = next.client == me.client();
        List<Entry> behind = heirsOf(next);
        row.grantTo(
            next, now, mine ? next.leaseUs : Math.min(next.leaseUs, Protocol.CLAIM_US), behind);
        row.ticket = next.ticket;
        row.claimant = mine ? 0 : next.client;
        changes.rowChanged();
        if (mine) {
          served = next;
          heirs = behind.stream().map(Entry::id).toList();
        } else if (next.listens) {
          changes.wake(next.client);
        }
      }
    }
  }

  /** Those of the same client that follow with nobody between, as far as was read. */
  private List<Entry> heirsOf(Entry first) {
    return waiters.tailMap(first.ticket, false).values().stream()
        .takeWhile(entry -> entry.client == first.client)
        .limit(Protocol.HEIRS)
        .toList();
  }

  private @Nullable Entry firstAwake() {
    long last = 0;
    while (true) {
      Iterator<Entry> rest = List.copyOf(waiters.tailMap(last, false).values()).iterator();
      while (rest.hasNext()) {
        Entry entry = rest.next();
        last = entry.ticket;
        if (entry.untilUs + graceUs <= now) {
          drop(entry);
        } else if (!entry.asleep || entry.client == me.client()) {
          return entry;
        }
      }
      if (queueRead) {
        return null;
      }
      List<Entry> more = readOn.apply(last);
      queueRead = more.isEmpty();
      for (Entry entry : more) {
        if (!changes.deletedWaiters().contains(entry.ticket)) {
          waiters.putIfAbsent(entry.ticket, entry);
        }
      }
    }
  }

  /**
   * Grants, lets in beside the same owner, queues, or refuses. To be called after {@link #serve}.
   */
  AttemptResult attempt(Attempt attempt) {
    long leaseUs = Protocol.micros(attempt.lease());
    Grant held = prolong(Renewal.of(attempt.name(), attempt.id(), attempt.lease(), false));
    if (held != null) {
      return held;
    }
    Entry waiter = waiter(attempt.id());
    if (row.isFree() || isSameOwner(attempt)) {
      if (waiter != null) {
        drop(waiter);
      }
      return row.isFree() ? enter(attempt, leaseUs) : join(attempt, leaseUs);
    }
    if (!attempt.waits()) {
      return AttemptResult.busy(recheck(me.listens()));
    }
    return queue(attempt, waiter);
  }

  /** Prolongs a hold, and never shortens it; null if it is not there. */
  @Nullable
  Grant prolong(Renewal renewal) {
    long leaseUs = Protocol.micros(renewal.lease());
    if (row.isHeldBy(renewal.id())) {
      row.untilUs = Math.max(row.untilUs, now + leaseUs);
      row.claimant = 0;
      changes.rowChanged();
      raise(renewal.minToken());
      return RenewalResult.held(renewal, row.token).withTokens(row.tokens);
    }
    Entry share = share(renewal.id());
    if (share == null) {
      return null;
    }
    share.untilUs = Math.max(share.untilUs, now + leaseUs);
    changes.refresh(share);
    raise(renewal.minToken());
    return RenewalResult.held(renewal, row.token);
  }

  private void raise(long minToken) {
    if (row.token < minToken) {
      row.raise(minToken);
      changes.rowChanged();
    }
  }

  private AttemptResult enter(Attempt attempt, long leaseUs) {
    row.grantTo(entry(Entry.WAITER, attempt), now, leaseUs);
    changes.rowChanged();
    return AttemptResult.granted(attempt, row.token).withTokens(row.tokens);
  }

  private boolean isSameOwner(Attempt attempt) {
    return attempt.sharedOwner()
        && row.shared
        && Arrays.equals(row.owner, attempt.owner().getBytes(StandardCharsets.UTF_8));
  }

  private AttemptResult join(Attempt attempt, long leaseUs) {
    Entry share = insert(entry(Entry.SHARE, attempt));
    share.untilUs = now + leaseUs;
    shares.put(share.ticket, share);
    return AttemptResult.granted(attempt, row.token);
  }

  private AttemptResult queue(Attempt attempt, @Nullable Entry waiting) {
    long leaseUs = Protocol.micros(attempt.lease());
    long until = now + Protocol.stayUs(attempt.patience());
    if (waiting != null) {
      waiting.untilUs = Math.max(waiting.untilUs, until);
      waiting.leaseUs = leaseUs;
      waiting.tokens = attempt.tokens();
      waiting.asleep = false;
      waiting.listens = me.listens();
      changes.refresh(waiting);
      return AttemptResult.queued(recheck(waiting.listens));
    }
    Entry waiter = insert(entry(Entry.WAITER, attempt));
    waiter.untilUs = until;
    waiters.put(waiter.ticket, waiter);
    return AttemptResult.queued(recheck(waiter.listens));
  }

  private Entry insert(Entry entry) {
    entry.ticket = row.nextTicket++;
    row.entries++;
    changes.insert(entry);
    changes.rowChanged();
    return entry;
  }

  private Entry entry(int kind, Attempt attempt) {
    Entry entry = new Entry();
    entry.kind = kind;
    entry.client = attempt.id().high();
    entry.hold = attempt.id().low();
    entry.owner = attempt.owner().getBytes(StandardCharsets.UTF_8);
    entry.shared = attempt.sharedOwner();
    entry.host = me.host();
    entry.sinceUs = now;
    entry.leaseUs = Protocol.micros(attempt.lease());
    entry.tokens = attempt.tokens();
    entry.listens = me.listens();
    return entry;
  }

  /** When a waiter should look again: never later than the holder's lease ends. */
  private Duration recheck(boolean told) {
    return me.recheck(row.untilUs - now, told);
  }

  /** The ticket of a waiter, if it is known to this transaction. */
  @Nullable
  Entry waiter(HoldId id) {
    Entry head = find(waiters, id);
    return head != null ? head : find(others, id);
  }

  /** The further hold with this id, if there is one. */
  @Nullable
  Entry share(HoldId id) {
    return find(shares, id);
  }

  private static @Nullable Entry find(Map<Long, Entry> entries, HoldId id) {
    for (Entry entry : entries.values()) {
      if (entry.is(id)) {
        return entry;
      }
    }
    return null;
  }
}
