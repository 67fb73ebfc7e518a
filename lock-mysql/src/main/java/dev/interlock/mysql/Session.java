package dev.interlock.mysql;

/** One connection for one operation. Not thread-safe. */
final class Session {
  private final LockMapper mapper;
  private boolean inTransaction;
  private boolean sent;

  Session(LockMapper mapper) {
    this.mapper = mapper;
  }

  LockMapper mapper() {
    return mapper;
  }

  /** The next statement changes something: from here a lost answer leaves the outcome unknown. */
  void changes() {
    sent = true;
  }

  /** The next statement begins a transaction that must be ended whatever happens. */
  void begins() {
    inTransaction = true;
  }

  /** The transaction is over, and so is any doubt. */
  void ended() {
    inTransaction = false;
    sent = false;
  }

  /** What was changed is confirmed. */
  void confirmed() {
    sent = false;
  }

  boolean isInTransaction() {
    return inTransaction;
  }

  boolean mayHaveTakenEffect() {
    return sent;
  }
}
