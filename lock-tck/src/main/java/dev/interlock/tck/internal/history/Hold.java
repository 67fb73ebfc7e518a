package dev.interlock.tck.internal.history;

import dev.interlock.Lease;
import java.io.Serializable;
import java.util.List;

/**
 * One hold as its holder saw it. Times are readings of {@link System#nanoTime()}, which is one
 * clock for all JVMs of a host (the kit checks that).
 *
 * @param name the lock
 * @param owner who held it; holds of the same owner may overlap
 * @param token the fencing token; 0 where there is none
 * @param acquired when acquire had returned
 * @param until when the validity ends, read right after {@code acquired} and certainly not too late
 * @param released when release was called; {@link Long#MAX_VALUE} if it was not
 * @param units how much it took of the capacity
 * @param capacity how much could be held together, by its reckoning; 1 for one that is held alone
 */
public record Hold(
    String name,
    String owner,
    long token,
    long acquired,
    long until,
    long released,
    int units,
    int capacity)
    implements Serializable {
  /** What {@code released} is when there was no release. */
  public static final long NEVER = Long.MAX_VALUE;

  static final String COLUMNS =
      Row.of("name", "owner", "token", "acquired", "until", "released", "units", "capacity");

  /** Makes one that is held alone. */
  public Hold(String name, String owner, long token, long acquired, long until, long released) {
    this(name, owner, token, acquired, until, released, 1, 1);
  }

  /** Notes a lease that was just acquired, as one that is not released. */
  public static Hold begin(String owner, Lease lease, boolean fenced) {
    long acquired = System.nanoTime();
    // Read after the clock, so that this reckons the end rather too early than too late.
    long until = acquired + lease.remaining().toNanos();
    return new Hold(lease.name(), owner, fenced ? lease.fencingToken() : 0, acquired, until, NEVER);
  }

  /** Notes that the lease is about to be released. */
  public Hold end(Lease lease) {
    long now = System.nanoTime();
    // A lease that is renewed lasts longer than was known at its beginning.
    long validUntil = lease.isValid() ? Math.max(until, now) : until;
    return new Hold(name, owner, token, acquired, validUntil, now, units, capacity);
  }

  /** Returns the same, of which others may hold a part. */
  public Hold withUnits(int taken, int of) {
    return new Hold(name, owner, token, acquired, until, released, taken, of);
  }

  String row() {
    return Row.of(name, owner, token, acquired, until, released, units, capacity);
  }

  static Hold ofRow(String row) {
    List<String> columns = Row.columns(row);
    return new Hold(
        columns.get(0),
        columns.get(1),
        Long.parseLong(columns.get(2)),
        Long.parseLong(columns.get(3)),
        Long.parseLong(columns.get(4)),
        Long.parseLong(columns.get(5)),
        Integer.parseInt(columns.get(6)),
        Integer.parseInt(columns.get(7)));
  }

  /** Returns the same with times counted from a moment. */
  Hold since(long start) {
    long end = released == NEVER ? NEVER : released - start;
    return new Hold(name, owner, token, acquired - start, until - start, end, units, capacity);
  }

  /** Returns when the holder had to stop relying on the lock. */
  public long end() {
    return Math.min(until, released);
  }

  boolean isEmpty() {
    return end() <= acquired;
  }
}
