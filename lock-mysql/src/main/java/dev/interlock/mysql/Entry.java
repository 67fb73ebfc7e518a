package dev.interlock.mysql;

import dev.interlock.spi.HoldId;

/**
 * A row of the entry table: a waiter, or a further hold of a shared owner. Mutable like its lock.
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

  boolean is(HoldId id) {
    return hold == id.low() && client == id.high();
  }

  HoldId id() {
    return new HoldId(client, hold);
  }
}
