package dev.interlock.redis.support.jedis;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;

/** Where the connections for commands come from. Thread-safe. */
public interface Connections extends AutoCloseable {

  /** Whether a command may use the connection that is kept for those who hold a lock. */
  enum Use {
    /** An attempt, which must leave one connection to the others. */
    ATTEMPT,
    /** A release, a renewal or anything else that helps to free a lock. */
    HOLDER
  }

  /**
   * Waits for a connection for a bounded time.
   *
   * @param use who asks
   * @return a connection that belongs to the caller until {@link #giveBack}
   * @throws dev.interlock.BackendUnavailableException if there is none; nothing was sent
   */
  Connection borrow(Use use);

  /**
   * Lends a connection if one is ready whose answers can be awaited for a while. Does not block.
   *
   * @param use who asks
   * @return a connection that belongs to the caller until {@link #giveBack}; null if there is none
   */
  default @Nullable Connection ready(Use use) {
    return null;
  }

  /**
   * Takes a connection back.
   *
   * @param use as for {@link #borrow}
   * @param connection from {@link #borrow}
   * @param healthy false closes it: nobody knows what still comes through it
   */
  void giveBack(Use use, Connection connection, boolean healthy);

  /**
   * Hears that a connection led to a server that may not serve, or not this user; it is given back
   * as unhealthy. So may the one to listen on.
   */
  default void misled() {}

  /**
   * Tells whether the caller may go on with its connection for others: false if somebody waits for
   * one, or if it would not be lent again. Quick.
   *
   * @param connection from {@link #borrow}
   * @return false if it should be given back now
   */
  boolean mayKeep(Connection connection);

  /**
   * Opens a connection that is not counted, to listen on.
   *
   * @return the connection; the caller closes it
   * @throws dev.interlock.BackendUnavailableException if that fails
   */
  Connection openListener();

  /**
   * Names the server for messages.
   *
   * @return host and port
   */
  String address();

  /** Closes what was opened here. */
  @Override
  void close();
}
