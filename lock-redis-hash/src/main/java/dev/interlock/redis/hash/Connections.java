package dev.interlock.redis.hash;

/** Where the connections come from. Thread-safe. */
interface Connections extends AutoCloseable {
  /**
   * Opens a connection for commands, which many threads share.
   *
   * @return the connection; closed by {@link #close()}
   * @throws dev.interlock.BackendUnavailableException if that fails
   */
  Link open();

  /**
   * Opens the connections to listen on.
   *
   * @return the connections; closed by {@link #close()}
   * @throws dev.interlock.BackendUnavailableException if that fails
   */
  Listeners openListeners();

  /**
   * Called when an answer did not come: perhaps another server is the master now. Quick, may be
   * called often.
   */
  void lookAgain();

  /** Called when a replica answered: another server is the master. Quick, may be called often. */
  default void answeredByReplica() {
    lookAgain();
  }

  /** Whether the locks are kept by several servers, each with a clock of its own. */
  boolean isCluster();

  /**
   * Names the server for messages.
   *
   * @return host and port
   */
  String address();

  /** Closes everything that was opened here. */
  @Override
  void close();
}
