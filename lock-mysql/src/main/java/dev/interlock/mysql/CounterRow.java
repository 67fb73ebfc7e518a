package dev.interlock.mysql;

/** A row of the counter table. */
final class CounterRow {
  long lastToken;
  int lockRows;
  byte[] swept = {};
}
