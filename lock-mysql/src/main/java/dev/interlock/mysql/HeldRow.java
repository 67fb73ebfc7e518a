package dev.interlock.mysql;

import dev.interlock.spi.HoldId;

/** A hold that was prolonged. */
final class HeldRow {
  long client;
  long hold;
  long token;
  int tokens;

  HoldId id() {
    return new HoldId(client, hold);
  }
}
