package dev.interlock.testservers;

/**
 * A database server and its standby, which nobody watches: whoever has them decides when the
 * standby takes over. Both are processes on this machine, with the same account and database.
 *
 * <p>Replication is asynchronous, as it is by default. Thread-safe; methods block until the servers
 * have done it. They throw {@link TestServerException} if one statement is not answered within 10
 * s, or what it is to bring about has not come after 60 s.
 */
public abstract class DatabasePair implements AutoCloseable {
  private final DatabaseServer primary;
  private final DatabaseServer standby;

  DatabasePair(DatabaseServer primary, DatabaseServer standby) {
    this.primary = primary;
    this.standby = standby;
  }

  /** The server that takes writes, until it is killed. */
  public final DatabaseServer primary() {
    return primary;
  }

  /** The server that takes its place; it takes no writes before. */
  public final DatabaseServer standby() {
    return standby;
  }

  /** Waits until the standby shows all that the primary has committed until now. */
  public abstract void awaitReplicated();

  /** Cuts the link: the standby receives nothing more, whatever the primary commits. */
  public abstract void cutOff();

  /**
   * Lets commits of the primary wait until the standby has them on disk, or no longer.
   *
   * @return what an operator sets for it, for people
   */
  public abstract String synchronous(boolean on);

  /** Lets the standby take writes. From now on it receives nothing more from the primary. */
  public abstract void promote();

  /** Ends both. */
  @Override
  public final void close() {
    standby.close();
    primary.close();
  }
}
