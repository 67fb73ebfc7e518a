package dev.interlock.redis.support.jedis;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.redis.support.LockKeys;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import redis.clients.jedis.exceptions.JedisRedirectionException;

/** One server for all locks. */
final class OnlyServer implements Servers {
  private final Server server;
  private final Target target;

  OnlyServer(Connections connections, Duration timeout) {
    this.server = new Server(connections, timeout);
    this.target = server.target();
  }

  @Override
  public Target of(LockKeys keys) {
    return target;
  }

  @Override
  public Target after(LockKeys keys, Target sent, LockException failure) {
    if (failure.getCause() instanceof JedisRedirectionException elsewhere) {
      throw new BackendUnavailableException(
          "Redis at " + address()
              + " is a node of a cluster and does not have all keys ("
              + elsewhere.getMessage() + "): add topology=cluster",
          failure);
    }
    throw failure;
  }

  @Override
  public int group(LockKeys keys) {
    return 0;
  }

  @Override
  public Collection<Server> all() {
    return List.of(server);
  }

  @Override
  public String address() {
    return server.calls().address();
  }

  @Override
  public void close() {
    server.close();
  }
}
