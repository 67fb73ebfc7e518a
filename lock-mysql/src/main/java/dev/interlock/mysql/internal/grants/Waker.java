package dev.interlock.mysql.internal.grants;

import dev.interlock.mysql.internal.connection.MysqlFaults;
import dev.interlock.mysql.internal.statements.LockSession;
import dev.interlock.sql.support.SqlCauses;
import java.sql.SQLException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.ibatis.exceptions.PersistenceException;

/** Which clients can be told of a grant by ending the wait of their listener. Thread-safe. */
public final class Waker {
  private static final long WAKE_AGAIN_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final boolean canWake;

  // Clients of other accounts, whom the server does not let us wake, and until when not to try.
  private final ConcurrentHashMap<Long, Long> deaf = new ConcurrentHashMap<>();

  /**
   * Knows of no client yet.
   *
   * @param canWake whether no proxy stands between, which may apply a KILL to sessions of its own
   */
  public Waker(boolean canWake) {
    this.canWake = canWake;
  }

  /** Whether it is worth trying with whoever comes. */
  public boolean reachesAll() {
    return canWake && deaf.keySet().stream().allMatch(this::reaches);
  }

  public boolean reaches(long client) {
    Long until = deaf.get(client);
    if (until != null && System.nanoTime() - until > 0) {
      deaf.remove(client);
      return canWake;
    }
    return canWake && until == null;
  }

  /** The server does not let us wake it. */
  public void refused(long client) {
    deaf.put(client, System.nanoTime() + WAKE_AGAIN_NANOS);
  }

  /** Wakes one, by a statement of its own, whom the packet that granted the lock did not reach. */
  public void wake(LockSession session, long client) {
    try {
      session.mapper().wake(client);
    } catch (PersistenceException e) {
      SQLException error = SqlCauses.first(e);
      if (error == null || !MysqlFaults.isUnheardWake(error)) {
        session.spoil(); // what was asked for is done
      } else if (MysqlFaults.isRefusedWake(error)) {
        refused(client);
      }
    }
  }
}
