package dev.interlock.compare.servers;

import dev.interlock.LockException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Locks that are looked at side by side, each on a server of its own as a rule. Those that share a
 * server take turns on it, for the one would meet the faults of the other. Thread-safe.
 */
public final class ServerTurns {
  private final Map<String, ReentrantLock> servers = new ConcurrentHashMap<>();

  /** The same for all backends that share a server. */
  public static String address(Backend backend, String id) {
    return LockUris.hosts(backend.uri()).orElse(id);
  }

  /**
   * Blocks until nobody else uses the server.
   *
   * @return ends the turn; called by the same thread
   * @throws LockException if the thread is interrupted, which it stays
   */
  public Runnable await(String address) {
    ReentrantLock turn = servers.computeIfAbsent(address, key -> new ReentrantLock(true));
    try {
      turn.lockInterruptibly();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LockException("The comparison was interrupted.", e);
    }
    return turn::unlock;
  }
}
