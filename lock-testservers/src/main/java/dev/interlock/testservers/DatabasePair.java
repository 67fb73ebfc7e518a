package dev.interlock.testservers;

/**
 * A database server and its standby, which nobody watches: whoever has them decides when the
 * standby takes over. Both are processes on this machine, with the same account and database.
 *
 * <p>Replication is asynchronous, as it is by default. Thread-safe; methods block until the servers
 * have done it. They throw {@link TestServerException} if one statement is not answered within 10
 * s, or what it is to bring about has not come after 60 s.
 */
public sealed interface DatabasePair extends AutoCloseable permits MysqlPair, PostgresPair {

  /** The server that takes writes, until it is killed. */
  DatabaseServer primary();

  /** The server that takes its place; it takes no writes before. */
  DatabaseServer standby();

  /** Waits until the standby shows all that the primary has committed until now. */
  void awaitReplicated();

  /** Cuts the link: the standby receives nothing more, whatever the primary commits. */
  void cutOff();

  /**
   * Lets commits of the primary wait until the standby has them on disk, or no longer.
   *
   * @return what an operator sets for it, for people
   */
  String synchronous(boolean on);

  /** Lets the standby take writes. From now on it receives nothing more from the primary. */
  void promote();

  /** Ends both. */
  @Override
  default void close() {
    standby().close();
    primary().close();
  }
}
