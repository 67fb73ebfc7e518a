package dev.interlock.spring.internal.annotation;

import dev.interlock.spring.Limited;
import dev.interlock.spring.Locked;
import dev.interlock.spring.LockedJob;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * What a native image must know of the starter. Above all the libraries that it looks for by name:
 * in an image that does not know them the locks of transactions would not be kept until the commit,
 * and a {@code DataSource} that routes would not be refused.
 */
final class LockHints implements RuntimeHintsRegistrar {
  private static final List<String> LOOKED_FOR = List.of(
      "kotlin.reflect.full.KClasses",
      "kotlinx.coroutines.reactor.MonoKt",
      "org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails",
      "io.lettuce.core.RedisClient",
      "redis.clients.jedis.Jedis",
      "redis.clients.jedis.JedisPool",
      "org.springframework.jdbc.datasource.DelegatingDataSource",
      "org.springframework.transaction.support.TransactionSynchronization",
      "reactor.core.publisher.Flux");

  /** Whose pool is asked for by name, for each version of Jedis has it elsewhere. */
  private static final List<String> WITH_POOL =
      List.of("redis.clients.jedis.JedisPooled", "redis.clients.jedis.RedisClient");

  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
    LOOKED_FOR.forEach(name -> hints.reflection().registerTypeIfPresent(loader, name, type -> {}));
    WITH_POOL.forEach(name -> hints
        .reflection()
        .registerTypeIfPresent(loader, name, MemberCategory.INVOKE_PUBLIC_METHODS));
    LockedResults.DEFERRED.forEach(hints.reflection()::registerType);
    LockedResults.WRAPPERS.forEach(hints.reflection()::registerType);
    // Their attributes have aliases, which Spring resolves behind a proxy.
    hints.proxies().registerJdkProxy(Locked.class);
    hints.proxies().registerJdkProxy(LockedJob.class);
    hints.proxies().registerJdkProxy(Limited.class);
  }
}
