package dev.interlock.mysql;

/** The answer to {@link LockMapper#enqueue}. */
final class QueuedRow {
  long ticket;
  long lockRemainingUs;
}
