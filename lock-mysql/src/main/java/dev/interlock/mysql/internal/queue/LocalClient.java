package dev.interlock.mysql.internal.queue;

import java.time.Duration;

/** What a transaction has to know of the client that runs it. */
public interface LocalClient {
  /** The upper half of the client's hold ids. */
  long client();

  /** Host name and process id. */
  byte[] host();

  /** Whether another client can tell this one of a grant. */
  boolean listens();

  /**
   * When to look again after a lock that is held for some time.
   *
   * @param remainingUs how long the holder's lease still lasts
   * @param told whether the entry says that its client listens; if not, nobody tells it, also when
   *     the client has come to listen since
   */
  Duration recheck(long remainingUs, boolean told);
}
