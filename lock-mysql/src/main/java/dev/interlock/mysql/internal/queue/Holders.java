package dev.interlock.mysql.internal.queue;

import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalResult;
import dev.interlock.sql.support.Micros;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Those who have a lock, in one transaction. The row has a holder that has the lock for itself
 * alone. All others are further holds: those of the same shared owner, readers, and permits. If
 * only holds are left that share the lock, the row tells when the first of them ends, and names
 * nobody. Not thread-safe.
 */
public final class Holders {
  private final LockRow row;
  private final long untilBefore;
  private final QueueHead queue;
  private final Changes changes;
  private final long now;
  private final LocalClient me;
  private final TreeMap<Long, Entry> shares = new TreeMap<>();

  /**
   * Starts with the holder of the row.
   *
   * @param row the row; changed in place
   * @param queue where a grant goes back to that is not confirmed
   * @param changes what the transaction writes
   * @param now the server's clock
   * @param me this client
   */
  Holders(LockRow row, QueueHead queue, Changes changes, long now, LocalClient me) {
    this.row = row;
    this.untilBefore = row.untilUs;
    this.queue = queue;
    this.changes = changes;
    this.now = now;
    this.me = me;
    if (row.hasOnlyParts()) {
      row.untilUs = 0; // nobody has it for itself alone
    }
  }

  /** Adds a further hold. */
  void add(Entry share) {
    shares.put(share.ticket, share);
  }

  /** Puts the count of entries right if somebody emptied the table by hand. */
  void count() {
    if (row.entries != shares.size() + queue.size()) {
      row.entries = shares.size() + queue.size();
      changes.rowChanged();
    }
  }

  /** Whether somebody is here who may share the lock. */
  boolean areSeveral() {
    return shares.values().stream().anyMatch(Entry::isCounted);
  }

  /** What is left for somebody. */
  Room room(Entry asks) {
    return Room.of(row, shares.values(), asks);
  }

  /** Ends what has run out. */
  void expire() {
    for (Entry share : List.copyOf(shares.values())) {
      if (share.untilUs <= now) {
        if (share.stayUs > 0) {
          takeBack(share);
        } else {
          drop(share);
        }
      }
    }
    if (row.isFree() || row.untilUs > now) {
      return;
    }
    if (row.claimant == 0) {
      dropBacking();
    } else if (row.claimant != me.client()) {
      // It did not come for its grant. Its entries keep their places but are passed over.
      queue.putToSleep(row.claimant);
    }
    freeOrPromote();
  }

  /** The same for a grant of a part of the lock. */
  private void takeBack(Entry share) {
    shares.remove(share.ticket);
    changes.delete(share);
    share.kind = Entry.WAITER;
    share.untilUs = share.stayUs;
    share.stayUs = 0;
    share.token = 0;
    queue.putBack(share);
    changes.insert(share);
    if (share.client != me.client()) {
      queue.putToSleep(share.client);
    }
  }

  private void freeOrPromote() {
    row.free();
    changes.rowChanged();
    shares.values().stream().filter(share -> !share.isCounted()).findFirst().ifPresent(share -> {
      row.promote(share);
      drop(share);
    });
  }

  private void dropBacking() {
    if (row.ticket > 0) {
      Entry backing = queue.get(row.ticket);
      if (backing == null) {
        changes.delete(Entry.WAITER, row.ticket);
        row.entries--;
      } else {
        drop(backing);
      }
    }
  }

  /** Removes an entry. */
  void drop(Entry entry) {
    if (entry.kind == Entry.SHARE) {
      shares.remove(entry.ticket);
    } else {
      queue.remove(entry);
    }
    changes.delete(entry);
    row.entries--;
    changes.rowChanged();
  }

  /** Whether a hold is there. */
  public boolean has(HoldId id) {
    return row.isHeldBy(id) || share(id) != null;
  }

  /** Gives a hold up; false if it is not there. */
  public boolean release(HoldId id) {
    if (row.isHeldBy(id)) {
      dropBacking();
      freeOrPromote();
      return true;
    }
    Entry share = share(id);
    if (share != null) {
      drop(share);
    }
    return share != null;
  }

  /** Takes the lock from all who hold it with this token, and answers who they were. */
  public List<HoldId> force(long token) {
    List<HoldId> victims = new ArrayList<>();
    boolean exclusive = row.hasToken(token);
    for (Entry share : List.copyOf(shares.values())) {
      if (share.isCounted() && (share.token == token || (exclusive && row.hasToken(share.token)))) {
        victims.add(share.id());
        drop(share);
      }
    }
    while (row.hasToken(token)) {
      victims.add(row.id());
      release(row.id());
    }
    return victims;
  }

  /** Prolongs a hold, and never shortens it; null if it is not there. */
  @Nullable
  Grant prolong(Renewal renewal) {
    long leaseUs = Micros.of(renewal.lease());
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
    share.stayUs = 0;
    changes.refresh(share);
    if (!share.isCounted()) {
      raise(renewal.minToken());
    } else if (share.token < renewal.minToken()) {
      share.token = renewal.minToken();
      row.lastToken = Math.max(row.lastToken, share.token);
      changes.rowChanged();
    }
    return RenewalResult.held(renewal, share.token(row));
  }

  private void raise(long minToken) {
    if (row.token < minToken) {
      row.raise(minToken);
      changes.rowChanged();
    }
  }

  /** A fencing token for a hold that shares the lock. */
  long newToken(Room room) {
    Long cover = room.cover();
    return cover == null ? row.nextToken(now) : cover;
  }

  /** Has the row tell until when the first of those lasts who share the lock. To be called last. */
  public void settle() {
    if (row.isFree()) {
      row.untilUs = firstEnd();
    }
    if (row.untilUs != untilBefore) {
      changes.rowChanged();
    }
  }

  /** When the first hold ends that may make room; 0 if there is none. */
  long firstEnd() {
    long first = shares.values().stream()
        .filter(Entry::isCounted)
        .mapToLong(share -> share.untilUs)
        .min()
        .orElse(0);
    return row.isFree() ? first : row.untilUs;
  }

  /** The further hold with this id, if there is one. */
  public @Nullable Entry share(HoldId id) {
    return QueueHead.find(shares.values(), id);
  }
}
