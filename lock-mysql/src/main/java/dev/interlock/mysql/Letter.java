package dev.interlock.mysql;

/** A grant to this client that it has not confirmed. */
final class Letter {
  byte[] lockKey = {};
  long client;
  long hold;
  long token;
  int tokens;
  long ticket;
  long lastHeir;
  long remainingUs;
}
