package dev.interlock.mysql;

/** A hold that was found after its renewal. */
final class HeldRow {
  long client;
  long hold;
  long token;
  int tokens;
  long remainingUs;
}
