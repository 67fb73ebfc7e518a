package dev.interlock.mysql;

/** A row of the lock table that may be removed. */
final class Candidate {
  byte[] lockKey = {};
  long lastToken;
  boolean removable;
  boolean forgotten;
}
