package dev.interlock.mysql.internal.queue;

import dev.interlock.spi.HoldId;

/**
 * A row of the entry table: a waiter, a further hold of a shared owner, or a hold that may share
 * its lock. Mutable like its lock.
 */
public final class Entry {
  public static final int SHARE = 0;
  public static final int WAITER = 1;

  public int kind;
  public long ticket;
  long client;
  long hold;
  byte[] owner = {};
  boolean shared;
  byte[] host = {};
  long sinceUs;
  long untilUs;
  public long leaseUs;
  int tokens = 1;
  boolean asleep;
  boolean listens;
  int units = 1;
  int capacity = 1;
  public long token;
  long stayUs;

  boolean is(HoldId id) {
    return hold == id.low() && client == id.high();
  }

  public HoldId id() {
    return new HoldId(client, hold);
  }

  /** Whether it may share the lock: a reader, or permits. */
  public boolean isCounted() {
    return capacity > 1;
  }

  /** The fencing token of this hold: one beside an exclusive hold of its owner has that one's. */
  long token(LockRow row) {
    return isCounted() ? token : row.token;
  }
}
