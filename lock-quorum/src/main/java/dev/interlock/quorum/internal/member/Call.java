package dev.interlock.quorum.internal.member;

import java.util.concurrent.TimeUnit;

/** What a member is asked and has not answered as a whole. Thread-safe. */
final class Call {
  /** One that has stood still itself finds the answer within this time, in nanoseconds. */
  private static final long GRACE = TimeUnit.MILLISECONDS.toNanos(100);

  private final long begun = System.nanoTime();
  private volatile long heardAt = begun;
  private volatile long suspectedAt = Long.MIN_VALUE;

  /** One of its answers has come. */
  void heard() {
    heardAt = System.nanoTime();
    suspectedAt = Long.MIN_VALUE;
  }

  /** Whether no answer has come for so long, in nanoseconds. */
  boolean isSilentFor(long time) {
    return System.nanoTime() - heardAt > time;
  }

  /** Whether it is too young to hang, and so is every later one. */
  boolean isYoung() {
    return System.nanoTime() - begun <= Member.SILENT.toNanos();
  }

  /** Whether no answer has come for too long, as somebody has seen a while ago. */
  boolean hangs() {
    if (!isSilentFor(Member.SILENT.toNanos())) {
      return false;
    }
    long now = System.nanoTime();
    long suspected = suspectedAt;
    if (suspected == Long.MIN_VALUE) {
      suspectedAt = now;
      return false;
    }
    return now - suspected > GRACE;
  }
}
