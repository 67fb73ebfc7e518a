package dev.interlock.sql.support;

/**
 * One connection for one operation, of which each statement is a transaction by itself. Not
 * thread-safe.
 *
 * @param <M> its statements
 */
public final class Session<M> implements Database.Work {
  private final M mapper;
  private boolean changes;

  /**
   * Begins, with nothing sent.
   *
   * @param mapper sends statements
   */
  public Session(M mapper) {
    this.mapper = mapper;
  }

  /**
   * Returns what sends statements.
   *
   * @return always the same
   */
  public M mapper() {
    return mapper;
  }

  /** The next statement changes something: from here a lost answer leaves the outcome unknown. */
  public void changes() {
    changes = true;
  }

  @Override
  public boolean mayHaveTakenEffect() {
    return changes;
  }

  @Override
  public boolean end() {
    return true;
  }
}
