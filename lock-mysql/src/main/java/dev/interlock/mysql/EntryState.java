package dev.interlock.mysql;

/** An entry that is still there, and what its lock is up to. */
final class EntryState {
  long client;
  long hold;
  long remainingUs;
  boolean asleep;
  boolean bell;
  boolean granted;
  long token;
  int tokens;
  long lockRemainingUs;
}
