package dev.interlock.mysql.internal.queue;

import dev.interlock.spi.HoldId;
import dev.interlock.sql.support.Recheck;

/**
 * A row of the entry table: a waiter, a further hold of a shared owner, or a hold that may share
 * its lock. Mutable like its lock.
 */
public final class Entry {
  public static final int SHARE = 0;
  public static final int WAITER = 1;

  public int kind;
  public long ticket;
  long client;
  long hold;
  byte[] owner = {};
  boolean shared;
  byte[] host = {};
  long sinceUs;
  long untilUs;
  public long leaseUs;
  int tokens = 1;
  boolean asleep;
  boolean listens;
  int units = 1;
  int capacity = 1;
  public long token;

  /**
   * Of a grant that is not confirmed until when it then stays in the queue; of a waiter that keeps
   * others out from when on its silence counts, 0 if it keeps nobody out.
   */
  long stayUs;

  boolean is(HoldId id) {
    return hold == id.low() && client == id.high();
  }

  public HoldId id() {
    return new HoldId(client, hold);
  }

  /** Whether it may share the lock: a reader, or permits. */
  public boolean isCounted() {
    return capacity > 1;
  }

  /**
   * When it is passed over if it gives no sign of life until then; never unless it was summoned.
   */
  long silentUs() {
    return stayUs == 0
        ? Long.MAX_VALUE
        : Math.max(stayUs, untilUs - Recheck.LONGEST_STAY_US + Protocol.SILENT_US);
  }

  /** The fencing token of this hold: one beside an exclusive hold of its owner has that one's. */
  long token(LockRow row) {
    return isCounted() ? token : row.token;
  }
}
