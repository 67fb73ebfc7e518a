package dev.interlock.mysql.internal.queue;

import java.util.Arrays;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * What others have of a lock, from the view of one who asks for a part of it. Holds of the same
 * shared owner do not count for it. Not thread-safe.
 */
final class Room {
  private final Entry asks;
  private long used;
  private int smallest = Integer.MAX_VALUE;
  private boolean same;
  private @Nullable Long cover;

  private Room(Entry asks) {
    this.asks = asks;
  }

  /**
   * Looks at all holds.
   *
   * @param row who has the lock for itself alone, if anybody
   * @param shares all further holds
   * @param asks who asks
   */
  static Room of(LockRow row, Collection<Entry> shares, Entry asks) {
    Room room = new Room(asks);
    if (!row.isFree()) {
      room.add(1, 1, row.token, row.shared, row.owner);
    }
    for (Entry share : shares) {
      room.add(share.units, share.capacity, share.token(row), share.shared, share.owner);
    }
    return room;
  }

  private void add(int units, int capacity, long token, boolean shared, byte[] owner) {
    if (asks.shared && shared && Arrays.equals(asks.owner, owner)) {
      same = true;
      if (capacity <= asks.capacity) {
        cover = cover == null ? token : Math.min(cover, token);
      }
    } else {
      used += units;
      smallest = Math.min(smallest, capacity);
    }
  }

  /** Whether there is enough of the lock left. */
  boolean fits() {
    return used + asks.units <= Math.min(smallest, asks.capacity);
  }

  /** Whether a hold of the same shared owner is there. */
  boolean same() {
    return same;
  }

  /** The token of such a hold that lets it in by itself, as a re-entry; null if there is none. */
  @Nullable
  Long cover() {
    return cover;
  }
}
