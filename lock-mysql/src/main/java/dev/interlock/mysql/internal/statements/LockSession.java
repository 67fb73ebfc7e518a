package dev.interlock.mysql.internal.statements;

import dev.interlock.mysql.internal.connection.MysqlFaults;
import dev.interlock.sql.support.Database;
import dev.interlock.sql.support.SqlCauses;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.apache.ibatis.exceptions.PersistenceException;

/** One connection for one operation, which may begin transactions. Not thread-safe. */
public final class LockSession implements Database.Work {
  private final LockMapper mapper;
  private final long transaction = ThreadLocalRandom.current().nextLong();
  private final long knownUs;
  private boolean inTransaction;
  private boolean sent;
  private boolean spoilt;

  /**
   * Begins, outside of a transaction.
   *
   * @param knownUs for how long the server has been up without a break, as far as this connection
   *     tells, in microseconds
   */
  public LockSession(LockMapper mapper, long knownUs) {
    this.mapper = mapper;
    this.knownUs = knownUs;
  }

  public LockMapper mapper() {
    return mapper;
  }

  /** The next statement changes something: from here a lost answer leaves the outcome unknown. */
  public void changes() {
    sent = true;
  }

  @Override
  public boolean mayHaveTakenEffect() {
    return sent;
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

  /** Sends what answers nothing if somebody keeps a row of it locked: to repeat that takes long. */
  public static <T> Optional<T> unlessLocked(Supplier<T> statement) {
    try {
      return Optional.of(statement.get());
    } catch (PersistenceException e) {
      SQLException error = SqlCauses.first(e);
      if (error == null || !MysqlFaults.isLockWait(error)) {
        throw e;
      }
      return Optional.empty();
    }
  }

  /** The next statement begins a transaction that must be ended whatever happens. */
  public void begins() {
    inTransaction = true;
  }

  /** The transaction is over, and so is any doubt. */
  public void ended() {
    inTransaction = false;
    sent = false;
  }

  /** The connection is of no use after this. */
  public void spoil() {
    spoilt = true;
  }

  @Override
  public boolean end() {
    if (!inTransaction || spoilt) {
      return !spoilt;
    }
    try {
      mapper.rollBack();
      return true;
    } catch (PersistenceException e) {
      return false; // the connection is thrown away, and that ends the transaction
    }
  }
}
