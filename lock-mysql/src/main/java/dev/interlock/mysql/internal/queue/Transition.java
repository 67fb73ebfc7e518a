package dev.interlock.mysql.internal.queue;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalResult;
import dev.interlock.sql.support.Micros;
import dev.interlock.sql.support.Recheck;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What happens to one lock in one transaction: its row, its holds and the head of its queue, read
 * under the row lock, and what releases and attempts make of them. Decides everything and does no
 * I/O except for reading on in a queue whose head is dead. Not thread-safe.
 */
public final class Transition {
  private final LockRow row;
  private final long now;
  private final long knownUs;
  private final LocalClient me;
  private final Holders holders;
  private final Changes changes = new Changes();
  private final QueueHead queue;
  private boolean keptOut;
  private @Nullable Entry served;
  private List<HoldId> heirs = List.of();
  private final Map<HoldId, Entry> admitted = new LinkedHashMap<>();

  /**
   * Starts.
   *
   * @param row the row; changed in place
   * @param entries all further holds and the first waiters
   * @param whole whether these are all the waiters
   * @param asked waiters that were asked for by id, wherever they stand
   * @param now the server's clock
   * @param knownUs for how long the server has been up without a break, as far as is known: nobody
   *     could give a sign of life before that
   * @param me this client
   * @param readOn reads the waiters behind a ticket; an empty answer means that there are none
   */
  public Transition(
      LockRow row,
      List<Entry> entries,
      boolean whole,
      List<Entry> asked,
      long now,
      long knownUs,
      LocalClient me,
      LongFunction<List<Entry>> readOn) {
    this.row = row;
    this.now = now;
    this.knownUs = knownUs;
    this.me = me;
    this.queue = new QueueHead(whole, changes, readOn);
    this.holders = new Holders(row, queue, changes, now, me);
    for (Entry entry : entries) {
      if (entry.kind == Entry.SHARE) {
        holders.add(entry);
      } else {
        queue.add(entry);
      }
    }
    asked.stream().filter(entry -> entry.kind == Entry.WAITER).forEach(queue::addAsked);
    if (whole) {
      holders.count();
    }
    holders.expire();
  }

  /** Who has the lock. */
  public Holders holders() {
    return holders;
  }

  public LockRow row() {
    return row;
  }

  public Changes changes() {
    return changes;
  }

  /** The waiter of this client that {@link #serve} has granted the lock to, for one to tell it. */
  public @Nullable Grant takeGrant(String name) {
    Entry waiter = served;
    served = null;
    return waiter == null
        ? null
        : Grant.of(name, waiter.id(), row.token, Micros.toDuration(waiter.leaseUs))
            .withTokens(row.tokens)
            .withHeirs(heirs);
  }

  /** The waiters of this client that {@link #serve} has let in beside others, for one to tell. */
  public List<Entry> takeAdmitted() {
    List<Entry> all = List.copyOf(admitted.values());
    admitted.clear();
    return all;
  }

  /**
   * Removes the entry of a waiter that has had the lock by inheritance, and what it was granted
   * since if the hold under which it had the lock was taken away.
   *
   * @return false if it was not found among those that were read
   */
  public boolean dropHeir(HoldId id) {
    if (holders.release(id)) {
      return true;
    }
    Entry entry = waiter(id);
    if (entry != null) {
      holders.drop(entry);
    }
    return entry != null || queue.isWhole();
  }

  /** Removes whatever has this id. */
  public void abandon(HoldId id) {
    if (!holders.release(id)) {
      Entry waiter = waiter(id);
      if (waiter != null) {
        holders.drop(waiter);
      }
    }
  }

  /**
   * Grants what is free of the lock to those who wait, in order, until the first that is alive does
   * not fit: so it is not passed, and all readers in front come in by one step.
   */
  public void serve() {
    boolean more = row.isFree() || holders.areSeveral();
    while (more) {
      Entry next = firstAwake();
      more = next != null && holders.room(next).fits();
      if (next != null && more) {
        more = next.isCounted();
        if (more) {
          admit(next);
        } else if (row.isFree()) {
          grant(next);
        }
      }
    }
  }

  private void grant(Entry next) {
    boolean mine = next.client == me.client();
    List<Entry> behind = heirsOf(next);
    row.grantTo(next, now, mine ? next.leaseUs : Math.min(next.leaseUs, Protocol.CLAIM_US), behind);
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

  /** Makes a waiter a holder beside others; its entry keeps its ticket. */
  private void admit(Entry next) {
    boolean mine = next.client == me.client();
    next.token = holders.newToken(holders.room(next));
    queue.remove(next);
    changes.delete(next);
    next.kind = Entry.SHARE;
    next.sinceUs = now;
    next.stayUs = mine ? 0 : next.untilUs;
    next.untilUs = now + (mine ? next.leaseUs : Math.min(next.leaseUs, Protocol.CLAIM_US));
    next.asleep = false;
    holders.add(next);
    changes.insert(next);
    changes.rowChanged();
    if (mine) {
      admitted.put(next.id(), next);
    } else if (next.listens) {
      changes.wake(next.client);
    }
  }

  /** Those of the same client that follow with nobody between, as far as was read. */
  private List<Entry> heirsOf(Entry first) {
    return queue.behind(first.ticket).values().stream()
        .takeWhile(entry -> entry.client == first.client && !entry.isCounted())
        .limit(Protocol.HEIRS)
        .toList();
  }

  private @Nullable Entry firstAwake() {
    // Who comes first after an outage must not drop those who wait on, and are about to come back.
    long graceUs = knownUs < Protocol.RETURN_US ? Protocol.OUTAGE_US : 0;
    Entry entry = queue.after(0);
    while (entry != null) {
      long ticket = entry.ticket;
      boolean mine = entry.client == me.client();
      if (entry.untilUs + graceUs <= now && ticket != row.ticket) {
        holders.drop(entry);
      } else if (ticket != row.ticket) {
        if (!mine && !entry.asleep && silentUs(entry) <= now) {
          queue.putToSleep(entry.client); // it may be dead, and is back in its place if it is not
        }
        if (mine || !entry.asleep) {
          return entry;
        }
      }
      entry = queue.after(ticket);
    }
    return null;
  }

  private long silentUs(Entry waiter) {
    return Math.max(waiter.silentUs(), now - knownUs + Protocol.SILENT_US);
  }

  /**
   * Has the first waiter give signs of life from now on if the holders may stay and it keeps others
   * out. Nobody else writes its entry more often than it needs to. To be called last.
   */
  public void summonFirst() {
    Entry first = row.isFree() ? firstAwake() : null;
    boolean inTheWay = first != null
        && first.stayUs == 0
        && ((keptOut && first.client != me.client()) || queue.keepsOut(first));
    if (first != null && inTheWay) {
      first.stayUs = now + Protocol.SILENT_US;
      changes.summon(first);
    }
  }

  /** Grants, lets in beside others, queues, or refuses. To be called after {@link #serve}. */
  public AttemptResult attempt(Attempt attempt) {
    Grant held = holders.prolong(Renewal.of(attempt.name(), attempt.id(), attempt.lease(), false));
    if (held != null) {
      admitted.remove(attempt.id());
      return held;
    }
    Entry waiter = waiter(attempt.id());
    Room room = holders.room(entry(Entry.SHARE, attempt));
    if (enters(attempt, room)) {
      if (waiter != null) {
        holders.drop(waiter);
      }
      boolean alone = attempt.capacity() == 1 && row.isFree();
      return alone ? enter(attempt) : join(attempt, room);
    }
    keptOut |= room.fits();
    if (!attempt.waits()) {
      return AttemptResult.busy(recheck(me.listens()));
    }
    return queue(attempt, waiter);
  }

  /** Beside a hold of its owner it need not wait for those who wait. */
  private boolean enters(Attempt attempt, Room room) {
    HoldId own = attempt.beside();
    return room.cover() != null
        || (own != null && holders.has(own))
        || (room.fits() && (room.same() || firstAwake() == null));
  }

  private AttemptResult enter(Attempt attempt) {
    row.grantTo(entry(Entry.WAITER, attempt), now, Micros.of(attempt.lease()));
    changes.rowChanged();
    return AttemptResult.granted(attempt, row.token).withTokens(row.tokens);
  }

  private AttemptResult join(Attempt attempt, Room room) {
    Entry share = insert(entry(Entry.SHARE, attempt));
    share.untilUs = now + share.leaseUs;
    if (share.isCounted()) {
      share.token = holders.newToken(room);
    }
    holders.add(share);
    return AttemptResult.granted(attempt, share.token(row));
  }

  private AttemptResult queue(Attempt attempt, @Nullable Entry waiting) {
    long until = now + Recheck.stayUs(attempt.patience());
    if (waiting != null) {
      waiting.leaseUs = Micros.of(attempt.lease());
      waiting.tokens = attempt.tokens();
      keep(waiting, until);
      return AttemptResult.queued(recheck(waiting.listens));
    }
    Entry waiter = insert(entry(Entry.WAITER, attempt));
    waiter.untilUs = until;
    queue.add(waiter);
    return AttemptResult.queued(recheck(waiter.listens));
  }

  private void keep(Entry waiter, long untilUs) {
    waiter.untilUs = Math.max(waiter.untilUs, untilUs);
    waiter.asleep = false;
    waiter.listens = me.listens();
    changes.refresh(waiter);
  }

  /** Prolongs a hold, or keeps a waiter of this client in the queue. */
  public RenewalResult renew(Renewal renewal) {
    Grant held = holders.prolong(renewal);
    Entry waiter = held == null ? waiter(renewal.id()) : null;
    if (held != null) {
      admitted.remove(renewal.id());
      return held;
    }
    if (waiter == null) {
      return RenewalResult.gone();
    }
    long freshUs = waiter.stayUs > 0 ? Protocol.SUMMONED_FRESH_US : Protocol.ENTRY_FRESH_US;
    boolean fresh = waiter.untilUs >= now + freshUs;
    if (!fresh || waiter.asleep || waiter.listens != me.listens()) {
      keep(waiter, now + Recheck.LONGEST_STAY_US);
    }
    return RenewalResult.queued(recheck(waiter.listens))
        .withOwnerHolds(holders.room(waiter).same());
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
    entry.leaseUs = Micros.of(attempt.lease());
    entry.tokens = attempt.tokens();
    entry.listens = me.listens();
    entry.units = attempt.units();
    entry.capacity = attempt.capacity();
    return entry;
  }

  /**
   * When a waiter should look again: never later than the holder's lease ends, or the first waiter
   * was silent for too long.
   */
  private Duration recheck(boolean told) {
    Entry first = row.isFree() ? firstAwake() : null;
    long silentUs = first == null || first.client == me.client() ? Long.MAX_VALUE : silentUs(first);
    return me.recheck(Math.min(holders.firstEnd(), silentUs) - now, told);
  }

  /** For how long an entry is kept. */
  public Duration left(Entry entry) {
    return Micros.toDuration(entry.untilUs - now);
  }

  /** The ticket of a waiter, if it is known to this transaction. */
  public @Nullable Entry waiter(HoldId id) {
    return queue.find(id);
  }
}
