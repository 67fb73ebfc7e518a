package dev.interlock.mysql.internal.grants;

/** A grant to this client that it has not confirmed. */
final class PendingGrant {
  byte[] lockKey = {};
  long client;
  long hold;
  long token;
  int tokens;
  long ticket;
  long lastHeir;
  long remainingUs;
  boolean counted;
}
