package dev.interlock.measure.peers;

import dev.interlock.measure.SectionClient;
import dev.interlock.measure.SectionLock;
import dev.interlock.measure.server.ServerAddress;
import java.util.ArrayList;
import java.util.List;
import org.redisson.Redisson;
import org.redisson.RedissonMultiLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson's multi-lock: a lock of the same name on each of several servers, all of them needed.
 */
public final class RedissonMultiLocks implements SectionClient {
  private final List<RedissonClient> clients = new ArrayList<>();

  /** Connects to each server, with Redisson's default settings. */
  public RedissonMultiLocks(List<ServerAddress> servers) {
    try {
      for (ServerAddress server : servers) {
        clients.add(Redisson.create(RedissonLocks.at(server, new Config())));
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  @Override
  public SectionLock lock(String name) {
    return SectionLock.of(new RedissonMultiLock(
        clients.stream().map(client -> client.getLock(name)).toArray(RLock[]::new)));
  }

  @Override
  public void close() {
    clients.forEach(RedissonClient::shutdown);
  }
}
