package dev.interlock.mysql.internal.statements;

import dev.interlock.mysql.internal.statements.LockMapper.Candidate;
import dev.interlock.mysql.internal.statements.LockMapper.CounterRow;
import java.util.ArrayList;
import java.util.List;

/**
 * Which rows of free locks go when a row is added to their bucket.
 *
 * <p>Rows of free locks are kept for their next use, which then is a single update, but only so
 * many of them: beyond {@link #KEPT} rows in a bucket each new one looks at the next few rows and
 * removes up to {@link #MOST} that are free. So the table has at most as many rows as there were
 * locks in use at the same time, and {@code 64 * KEPT} more.
 */
public final class Sweep {
  static final int KEPT = 16;

  /** As many as the statement that removes them has variables for. */
  static final int MOST = 4;

  /** More than one lock is added at a time, so that locks to tidy up do not become more. */
  public static final int TIDIED = 2;

  private static final int WINDOW = 16;

  private final List<Candidate> victims = new ArrayList<>();
  private long lastToken;
  private byte[] swept;

  public Sweep(CounterRow counter, List<Candidate> window) {
    this.lastToken = counter.lastToken;
    this.swept = counter.swept;
    if (counter.lockRows >= KEPT) {
      // From the start again once the end was reached.
      swept = window.size() < WINDOW ? new byte[0] : window.get(window.size() - 1).lockKey;
      window.stream().filter(row -> row.removable).limit(MOST).forEach(this::remove);
    }
  }

  private void remove(Candidate row) {
    victims.add(row);
    lastToken = Math.max(lastToken, row.lastToken);
    if (victims.size() == MOST) {
      swept = row.lockKey;
    }
  }

  List<Candidate> victims() {
    return victims;
  }

  long lastToken() {
    return lastToken;
  }

  byte[] swept() {
    return swept;
  }
}
