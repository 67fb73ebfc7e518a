package dev.interlock.mysql;

import dev.interlock.spi.HoldId;

/** An entry that is still there, and what its lock is up to. */
final class EntryState {
  long client;
  long hold;
  boolean bell;
  boolean granted;
  long lockRemainingUs;

  HoldId id() {
    return new HoldId(client, hold);
  }
}
