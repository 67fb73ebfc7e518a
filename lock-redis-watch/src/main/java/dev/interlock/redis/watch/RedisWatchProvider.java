package dev.interlock.redis.watch;

import dev.interlock.Capability;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.redis.support.jedis.JedisBackends;
import dev.interlock.redis.support.jedis.JedisOptions;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockProvider;
import java.util.List;
import java.util.Set;

/**
 * Found by {@link java.util.ServiceLoader} under the id {@value #ID}; applications use
 * {@link dev.interlock.Locks} or {@link RedisWatchLocks}. Stateless.
 */
public final class RedisWatchProvider implements LockProvider {
  static final String ID = "redis-watch";

  /** Called by the service loader. */
  public RedisWatchProvider() {}

  @Override
  public String id() {
    return ID;
  }

  @Override
  public Set<Capability> capabilities(LockConfig config) {
    return Set.of(Capability.RENEWABLE, Capability.FENCED, Capability.PUSH);
  }

  @Override
  public List<Option<?>> options() {
    return RedisWatchOptions.ALL;
  }

  @Override
  public List<String> conflicts(LockConfig config) {
    return JedisOptions.conflicts(config);
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    return JedisBackends.open(config, context.client(), WatchBackend::new);
  }
}
