package dev.interlock.redis.hash;

import dev.interlock.Capability;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.redis.hash.internal.backend.HashBackend;
import dev.interlock.redis.hash.internal.connection.Connections;
import dev.interlock.redis.support.RedisOptions;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockProvider;
import java.util.List;
import java.util.Set;

/**
 * Found by {@link java.util.ServiceLoader} under the id {@value #ID}; applications use
 * {@link dev.interlock.Locks} or {@link RedisHashLocks}. Stateless.
 */
public final class RedisHashProvider implements LockProvider {
  static final String ID = "redis-hash";

  /** Called by the service loader. */
  public RedisHashProvider() {}

  @Override
  public String id() {
    return ID;
  }

  @Override
  public Set<Capability> capabilities(LockConfig config) {
    return Set.of(
        Capability.RENEWABLE,
        Capability.FENCED,
        Capability.PUSH,
        Capability.SHARED_OWNER,
        Capability.FAIR,
        Capability.SHARED,
        Capability.PERMITS);
  }

  @Override
  public List<Option<?>> options() {
    return RedisHashOptions.ALL;
  }

  @Override
  public List<String> conflicts(LockConfig config) {
    return RedisOptions.conflicts(config);
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    ClientId client = context.client();
    return HashBackend.open(config, client, Connections.own(config, client));
  }
}
