package dev.interlock.mysql;

/** What there is to say of a lock that has a row. */
final class Inspection {
  byte[] owner = {};
  byte[] host = {};
  long sinceUs;
  long remainingUs;
  long token;
  int waiters;
  long shareUs;
}
