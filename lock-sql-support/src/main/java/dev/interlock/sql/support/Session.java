package dev.interlock.sql.support;

/**
 * One connection for one operation. Not thread-safe.
 *
 * @param <M> its statements
 */
public class Session<M> {
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
  public final M mapper() {
    return mapper;
  }

  /** The next statement changes something: from here a lost answer leaves the outcome unknown. */
  public final void changes() {
    changes = true;
  }

  /** All that was sent is done, without a doubt. */
  protected final void settled() {
    changes = false;
  }

  final boolean mayHaveTakenEffect() {
    return changes;
  }

  /**
   * Ends what the operation has left open, because it failed or otherwise.
   *
   * @return whether the connection may be used again
   */
  protected boolean end() {
    return true;
  }
}
