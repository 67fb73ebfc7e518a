package dev.interlock.spring.internal.client;

import dev.interlock.HostPort;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Which servers, sentinels or nodes of a cluster a connection factory of Spring Data is told of.
 */
final class FactoryNodes {
  private static final boolean LETTUCE = isPresent("io.lettuce.core.RedisClient");
  private static final boolean JEDIS = isPresent("redis.clients.jedis.Jedis");

  private FactoryNodes() {}

  private static boolean isPresent(String type) {
    return ClassUtils.isPresent(type, FactoryNodes.class.getClassLoader());
  }

  /** As {@code host:port}; none if the factory is of a kind that does not tell. */
  static Set<String> of(RedisConnectionFactory factory) {
    if (LETTUCE && OnLettuce.is(factory)) {
      return OnLettuce.nodes(factory);
    }
    return JEDIS && OnJedis.is(factory) ? OnJedis.nodes(factory) : Set.of();
  }

  /** Whether it connects by TLS. */
  static boolean isEncrypted(RedisConnectionFactory factory) {
    return (LETTUCE && OnLettuce.is(factory) && OnLettuce.isEncrypted(factory))
        || (JEDIS && OnJedis.is(factory) && OnJedis.isEncrypted(factory));
  }

  private static Set<String> nodes(
      @Nullable RedisSentinelConfiguration sentinel,
      @Nullable RedisClusterConfiguration cluster,
      @Nullable RedisStandaloneConfiguration single) {
    if (sentinel != null) {
      return nodes(sentinel.getSentinels());
    }
    if (cluster != null) {
      return nodes(cluster.getClusterNodes());
    }
    return single == null ? Set.of() : Set.of(text(single.getHostName(), single.getPort()));
  }

  private static Set<String> nodes(Collection<RedisNode> nodes) {
    return nodes.stream()
        .map(node -> text(node.getRequiredHost(), node.getRequiredPort()))
        .collect(Collectors.toSet());
  }

  private static String text(String host, int port) {
    return HostPort.of(host, port).toString();
  }

  // The libraries that each of these needs are optional.

  private static final class OnLettuce {
    static boolean is(RedisConnectionFactory factory) {
      return factory instanceof LettuceConnectionFactory;
    }

    static boolean isEncrypted(RedisConnectionFactory factory) {
      return ((LettuceConnectionFactory) factory).isUseSsl();
    }

    static Set<String> nodes(RedisConnectionFactory factory) {
      LettuceConnectionFactory lettuce = (LettuceConnectionFactory) factory;
      return FactoryNodes.nodes(
          lettuce.getSentinelConfiguration(),
          lettuce.getClusterConfiguration(),
          lettuce.getStandaloneConfiguration());
    }
  }

  private static final class OnJedis {
    static boolean is(RedisConnectionFactory factory) {
      return factory instanceof JedisConnectionFactory;
    }

    static boolean isEncrypted(RedisConnectionFactory factory) {
      return ((JedisConnectionFactory) factory).isUseSsl();
    }

    static Set<String> nodes(RedisConnectionFactory factory) {
      JedisConnectionFactory jedis = (JedisConnectionFactory) factory;
      return FactoryNodes.nodes(
          jedis.getSentinelConfiguration(),
          jedis.getClusterConfiguration(),
          jedis.getStandaloneConfiguration());
    }
  }
}
