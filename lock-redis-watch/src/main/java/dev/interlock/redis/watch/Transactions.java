package dev.interlock.redis.watch;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.jedis.Connections.Use;
import dev.interlock.redis.support.jedis.Server;
import dev.interlock.redis.support.jedis.Servers;
import dev.interlock.redis.support.jedis.Target;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Repeats a step whose transaction was not run because a watched key changed, a few times at most:
 * each time, somebody else got on. Thread-safe; blocks for I/O, for a bounded time.
 *
 * <p>A step watches the lock's key, looks, and then changes what is to be changed in one
 * transaction, which the server runs only if the key is as it was when it was looked at.
 * {@code EXEC} and {@code UNWATCH} are the only ends of a step, and a connection that comes to
 * neither is closed, so no connection in the pool watches anything.
 *
 * <p>A step looks with {@code GETEX}, which without options is {@code GET} but counts as a write: a
 * server that was demoted refuses it, and so never says from what it knew that a lock is gone, or
 * whose it is.
 */
final class Transactions {
  private static final int TRIES = 5;

  /** One look and one transaction. */
  @FunctionalInterface
  interface Step<T> {
    /**
     * Does it once.
     *
     * @param pipe to the server
     * @return the result; null if the transaction was not run
     */
    @Nullable
    T run(Pipe pipe);
  }

  private final Servers servers;

  Transactions(Servers servers) {
    this.servers = servers;
  }

  /** The server that has the keys of a lock. */
  Server server(LockKeys keys) {
    return servers.of(keys).server();
  }

  /** Locks of the same group may be changed in one transaction. */
  int group(LockKeys keys) {
    return servers.group(keys);
  }

  /** Answers nothing if the transaction was never run; then nothing was changed. */
  <T> Optional<T> attempt(Use use, String action, LockKeys keys, Step<T> step) {
    Target target = servers.of(keys);
    while (true) {
      try {
        return attemptOn(target, use, action, keys, step);
      } catch (LockException e) {
        target = servers.after(keys, target, e);
      }
    }
  }

  private static <T> Optional<T> attemptOn(
      Target target, Use use, String action, LockKeys keys, Step<T> step) {
    return target.server().calls().on(use, action, keys, connection -> {
      for (int left = TRIES; left > 0; left--) {
        T result = step.run(new Pipe(connection, target.asking()));
        if (result != null) {
          return Optional.of(result);
        }
      }
      return Optional.empty();
    });
  }

  /** The same for those who hold a lock, with an exception in place of no answer. */
  <T> T run(String action, LockKeys keys, Step<T> step) {
    return attempt(Use.HOLDER, action, keys, step)
        .orElseThrow(() -> new BackendUnavailableException("Redis at " + servers.address()
            + " was asked to " + action + " lock '" + keys.name() + "' " + TRIES
            + " times, and each time the lock was changed by another client in between"));
  }
}
