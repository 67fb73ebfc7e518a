package dev.interlock.mysql;

import dev.interlock.spi.HoldId;

/**
 * A row of the entry table: a waiter, a further hold of a shared owner, or a hold that may share
 * its lock. Mutable like its lock.
 */
final class Entry {
  static final int SHARE = 0;
  static final int WAITER = 1;

  int kind;
  long ticket;
  long client;
  long hold;
  byte[] owner = {};
  boolean shared;
  byte[] host = {};
  long sinceUs;
  long untilUs;
  long leaseUs;
  int tokens = 1;
  boolean asleep;
  boolean listens;
  int units = 1;
  int capacity = 1;
  long token;
  long stayUs;

  boolean is(HoldId id) {
    return hold == id.low() && client == id.high();
  }

  HoldId id() {
    return new HoldId(client, hold);
  }

  /** Whether it may share the lock: a reader, or permits. */
  boolean isCounted() {
    return capacity > 1;
  }

  /** The fencing token of this hold: one beside an exclusive hold of its owner has that one's. */
  long token(LockRow row) {
    return isCounted() ? token : row.token;
  }
}
