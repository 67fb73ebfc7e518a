package dev.interlock.mysql.internal.statements;

import dev.interlock.sql.support.Session;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.ibatis.exceptions.PersistenceException;

/** One connection for one operation, which may begin transactions. Not thread-safe. */
public final class LockSession extends Session<LockMapper> {
  private final long transaction = ThreadLocalRandom.current().nextLong();
  private final long knownUs;
  private boolean inTransaction;
  private boolean spoilt;

  /**
   * Begins, outside of a transaction.
   *
   * @param knownUs for how long the server has been up without a break, as far as this connection
   *     tells, in microseconds
   */
  public LockSession(LockMapper mapper, long knownUs) {
    super(mapper);
    this.knownUs = knownUs;
  }

  /**
   * The number by which the server knows the second packet of a transaction as that of the first.
   */
  public long transaction() {
    return transaction;
  }

  /**
   * For how long the server has been up. During an outage nobody can keep an entry in the queue;
   * those who wait wait on, and keep their places if they are back soon after it.
   */
  public long knownUs() {
    return knownUs;
  }

  /** The next statement begins a transaction that must be ended whatever happens. */
  public void begins() {
    inTransaction = true;
  }

  /** The transaction is over, and so is any doubt. */
  public void ended() {
    inTransaction = false;
    settled();
  }

  /** The connection is of no use after this. */
  public void spoil() {
    spoilt = true;
  }

  @Override
  protected boolean end() {
    if (!inTransaction || spoilt) {
      return !spoilt;
    }
    try {
      mapper().rollBack();
      return true;
    } catch (PersistenceException e) {
      return false; // the connection is thrown away, and that ends the transaction
    }
  }
}
