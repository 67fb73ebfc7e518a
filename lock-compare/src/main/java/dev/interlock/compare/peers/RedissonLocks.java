package dev.interlock.compare.peers;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Capability;
import dev.interlock.LockClient;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.redisson.config.Config;

/**
 * Redisson's locks, with its default settings but for smaller pools. The length of the renewed
 * lease is a setting of Redisson's client ({@code lockWatchdogTimeout}), so there is one for each
 * length that is asked for.
 */
final class RedissonLocks implements PeerLocks {
  private static final int POOL = 16;
  private static final int THREADS = 4;

  private final PeerAddress address;
  private final RedissonKind kind;
  private final RedissonClient client;
  private final Map<Duration, RedissonClient> byWatchdog = new ConcurrentHashMap<>();

  private RedissonLocks(PeerAddress address, RedissonKind kind) {
    this.address = address;
    this.kind = kind;
    this.client = open(new Config());
  }

  static String version() {
    return PeerLocks.version(Redisson.class);
  }

  static LockClient open(String uri, RedissonKind kind) {
    return new PeerClient(new RedissonLocks(PeerAddress.of(uri), kind));
  }

  private RedissonClient open(Config config) {
    config.setThreads(THREADS);
    config.setNettyThreads(THREADS);
    address.user().ifPresent(config::setUsername);
    address.password().ifPresent(config::setPassword);
    config
        .useSingleServer()
        .setAddress("redis://" + address.host() + ":" + address.port())
        .setDatabase(address.database())
        .setConnectionMinimumIdleSize(1)
        .setConnectionPoolSize(POOL);
    try {
      return Redisson.create(config);
    } catch (RedisException e) {
      throw new BackendUnavailableException(e.toString(), e);
    }
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
      return CompletableFuture.supplyAsync(() -> open(config)).join();
    });
    return kind.lock(renewing, name);
  }

  @Override
  public void close() {
    byWatchdog.values().forEach(RedissonClient::shutdown);
    client.shutdown();
  }
}
