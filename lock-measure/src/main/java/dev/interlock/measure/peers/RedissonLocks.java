package dev.interlock.measure.peers;

import dev.interlock.Capability;
import dev.interlock.measure.server.ServerAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson's locks, with its default settings. The length of the renewed lease is a setting of
 * Redisson's client ({@code lockWatchdogTimeout}), so there is one for each length that is asked
 * for.
 */
public final class RedissonLocks implements PeerLocks {
  private static final int FEW_CONNECTIONS = 16;
  private static final int FEW_THREADS = 4;

  private final ServerAddress server;
  private final RedissonKind kind;
  private final boolean few;
  private final RedissonClient client;
  private final Map<Duration, RedissonClient> byWatchdog = new ConcurrentHashMap<>();

  /**
   * Connects.
   *
   * @param few whether to make do with fewer threads and connections than by default
   */
  public RedissonLocks(ServerAddress server, RedissonKind kind, boolean few) {
    this.server = server;
    this.kind = kind;
    this.few = few;
    this.client = open(new Config());
  }

  private RedissonClient open(Config config) {
    at(server, config);
    if (few) {
      config.setThreads(FEW_THREADS);
      config.setNettyThreads(FEW_THREADS);
      config
          .useSingleServer()
          .setConnectionMinimumIdleSize(1)
          .setConnectionPoolSize(FEW_CONNECTIONS);
    }
    return Redisson.create(config);
  }

  /** Has the configuration name the server, and returns it. */
  static Config at(ServerAddress server, Config config) {
    server.user().ifPresent(config::setUsername);
    server.password().ifPresent(config::setPassword);
    config
        .useSingleServer()
        .setAddress("redis://" + server.host() + ":" + server.port())
        .setDatabase(Integer.parseInt(server.database()));
    return config;
  }

  @Override
  public Set<Capability> capabilities() {
    return kind.capabilities();
  }

  @Override
  public PeerLock lock(String name) {
    return kind.lock(client, name);
  }

  @Override
  public PeerLock renewed(String name, Duration lease) {
    RedissonClient renewing = byWatchdog.computeIfAbsent(lease, length -> {
      Config config = new Config();
      config.setLockWatchdogTimeout(length.toMillis());
      // On another thread: an interruption of this one is meant for the lock.
      return CompletableFuture.supplyAsync(() -> open(config), task -> new Thread(task).start())
          .join();
    });
    return kind.lock(renewing, name);
  }

  @Override
  public void close() {
    byWatchdog.values().forEach(RedissonClient::shutdown);
    client.shutdown();
  }
}
