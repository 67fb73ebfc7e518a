package dev.interlock.internal.running;

import java.util.function.LongSupplier;

/**
 * The monotonic clock, which counts validity, and the wall clock, which only ever ends it. The
 * monotonic clock of Linux stands still while the machine is suspended, and a server's does not;
 * the wall clock shows that after the resume by a jump forward against the monotonic one. A time
 * server that sets the clock forward looks the same and ends leases early as well: the two cannot
 * be told apart, and to take the one for the other would be to believe in a dead lease. After a
 * jump backward what remains is counted anew from there.
 *
 * <p>All times are in nanoseconds. Thread-safe.
 */
public final class Clocks {
  public static final Clocks SYSTEM = new Clocks(System::nanoTime, System::currentTimeMillis);

  private static final long MILLI = 1_000_000;

  /** The wall clock counts in whole milliseconds. */
  private static final long GRAIN = 2 * MILLI;

  /** Less is a clock that is slewed, and covered by the drift margin. */
  private static final long JUMP = 10 * MILLI;

  private static final int READINGS = 3;

  /**
   * How far the wall clock is ahead of the monotonic one.
   *
   * @param before the same before the last jump, forward or backward
   * @param seenAt when that was noticed
   * @param jumps how many were noticed
   */
  private record Offset(long now, long before, long seenAt, int jumps) {}

  private final LongSupplier nanos;
  private final LongSupplier millis;
  private volatile Offset offset;

  public Clocks(LongSupplier nanos, LongSupplier millis) {
    this.nanos = nanos;
    this.millis = millis;
    long now = nanos.getAsLong();
    long ahead = wall() - now;
    this.offset = new Offset(ahead, ahead, now, 0);
  }

  /** The wall clock. */
  public long wall() {
    return millis.getAsLong() * MILLI;
  }

  /** The monotonic clock, after a look for a jump: what was sent from then on was sent after it. */
  public long look() {
    long from;
    long wall;
    long now = nanos.getAsLong();
    int readings = 0;
    do {
      from = now;
      wall = wall();
      now = nanos.getAsLong();
      readings++;
    } while (now - from > MILLI && readings < READINGS);
    // Of what they allow the nearest to what is known: a thread that is held up sees no jump.
    long ahead = Math.max(wall - now, Math.min(wall - from, offset.now()));
    if (Math.abs(ahead - offset.now()) > GRAIN) {
      move(ahead, now);
      return nanos.getAsLong();
    }
    return now;
  }

  private synchronized void move(long ahead, long now) {
    Offset old = offset;
    offset = Math.abs(ahead - old.now()) > JUMP
        ? new Offset(ahead, old.now(), now, old.jumps() + 1)
        : new Offset(ahead, old.before(), old.seenAt(), old.jumps());
  }

  /** What the wall clock showed at a moment of the monotonic one, or less. */
  public long wallAt(long moment) {
    var unused = look();
    Offset known = offset;
    return moment
        + (moment - known.seenAt() >= 0 ? known.now() : Math.min(known.now(), known.before()));
  }

  /** Grows with each jump. */
  public int jumps() {
    var unused = look();
    return offset.jumps();
  }
}
