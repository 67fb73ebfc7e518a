package dev.interlock.redis.support.jedis;

import org.jspecify.annotations.Nullable;

/**
 * One connection that listens to one channel. {@link #subscribe} and {@link #read} are called by
 * one thread, the others by any. Failures are thrown as any {@link RuntimeException}.
 */
interface MailboxLink extends AutoCloseable {

  /** Subscribes; returns once the server has confirmed it. */
  void subscribe(byte[] channel);

  /** Waits without limit for a message; null if it was the answer to a ping. */
  byte @Nullable [] read();

  /** Asks the server for a sign of life, without waiting for it. */
  void ping();

  /** Closes the connection, so that {@link #read} fails at once. Idempotent; throws nothing. */
  @Override
  void close();
}
