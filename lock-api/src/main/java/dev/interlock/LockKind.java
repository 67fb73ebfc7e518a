package dev.interlock;

/** What a request takes of a lock. All kinds of one name share its queue. */
public enum LockKind {
  /** The whole lock: nobody else holds it meanwhile. Also the writer of a read-write lock. */
  EXCLUSIVE,
  /** A reader's part: any number of readers hold it together, and nobody writes meanwhile. */
  SHARED,
  /**
   * Some of a number of permits. They have no owner, so taking permits twice takes more of them.
   */
  PERMITS
}
