package dev.interlock.redis.support;

import dev.interlock.Capability;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockClients;
import dev.interlock.spi.LockProvider;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A provider over what an application connects with. It has fewer options: where to connect is not
 * a question any more. Stateless.
 *
 * @param provider the provider that connects by itself
 * @param conflict finds settings that do not go together
 * @param backend speaks to the server, and closes the connections to it if that fails
 */
public record ApplicationProvider(
    LockProvider provider,
    Function<LockConfig, List<String>> conflict,
    BiFunction<LockConfig, ClientId, LockBackend> backend)
    implements LockProvider {

  /**
   * Opens a client.
   *
   * @param config may set the common options, {@link RedisOptions#TIMEOUT},
   *     {@link RedisOptions#REPLICAS} and {@link RedisOptions#REPLICA_TIMEOUT}
   * @return an open client
   */
  public LockClient open(LockConfig config) {
    return LockClients.open(this, config, context -> open(config, context));
  }

  @Override
  public String id() {
    return provider.id();
  }

  @Override
  public Set<Capability> capabilities(LockConfig config) {
    return provider.capabilities(config);
  }

  @Override
  public List<Option<?>> options() {
    return List.of(RedisOptions.TIMEOUT, RedisOptions.REPLICAS, RedisOptions.REPLICA_TIMEOUT);
  }

  @Override
  public List<String> conflicts(LockConfig config) {
    return conflict.apply(config);
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    return backend.apply(config, context.client());
  }
}
