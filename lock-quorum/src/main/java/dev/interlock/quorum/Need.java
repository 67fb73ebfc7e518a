package dev.interlock.quorum;

/** How many members must grant a lock. */
public enum Need {
  /** More than half of them: the lock survives the loss of a minority. */
  MAJORITY,
  /** Every one of them: for the time in which an application moves from one backend to another. */
  ALL;

  int of(int members) {
    return this == ALL ? members : members / 2 + 1;
  }
}
