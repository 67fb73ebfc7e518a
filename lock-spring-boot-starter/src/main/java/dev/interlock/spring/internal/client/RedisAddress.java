package dev.interlock.spring.internal.client;

import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.Locks;
import dev.interlock.Option;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Where Spring Boot knows a Redis: by its properties, a service connection, or Docker Compose. A
 * client to there has connections of its own. It is used only if the application's own connection
 * factories, where there are some, connect to the same place: Spring Boot knows a server also if
 * nobody has named one.
 */
final class RedisAddress {
  static final boolean PRESENT = ClassUtils.isPresent(
      "org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails",
      RedisAddress.class.getClassLoader());

  private final LockConfig.Builder config;
  private final List<Option<?>> options;
  private final String prefix;

  private RedisAddress(String provider, String prefix) {
    this.config = LockConfig.builder(provider);
    this.options = LockSettings.options(provider);
    this.prefix = prefix;
  }

  static List<OwnConnection> find(String provider, OwnBeans beans) {
    return beans.names(DataRedisConnectionDetails.class).stream()
        .map(bean -> {
          DataRedisConnectionDetails details = beans.get(bean, DataRedisConnectionDetails.class);
          if (details.getCluster() == null && details.getSentinel() == null) {
            refuseBesideJedis(bean, beans);
          }
          List<RedisConnectionFactory> factories = factories(details, beans);
          RedisAddress address = new RedisAddress(provider, beans.prefix());
          if (factories.stream().anyMatch(FactoryNodes::isEncrypted)) {
            address.set("tls", "true"); // a URL that begins with rediss: makes no bundle
          }
          return new OwnConnection(address.read(details), bean, Locks::open);
        })
        .toList();
  }

  /**
   * An application with a Jedis client for a cluster or for sentinels has its data there. Spring
   * Boot knows one server all the same, on localhost if nobody names it.
   */
  private static void refuseBesideJedis(String bean, OwnBeans beans) {
    List<JedisWithoutPool> jedis = RedisConnections.withoutPool(beans).stream()
        .filter(JedisWithoutPool::hasSeveralServers)
        .toList();
    if (beans.only() == null && !jedis.isEmpty()) {
      throw new LockConfigurationException(
          "%s. Set %s.bean=%s if the locks are to be on that server"
              .formatted(
                  jedis
                      .get(0)
                      .message(
                          ", and spring.data.redis says one server, localhost if nothing is set",
                          beans.prefix()),
                  beans.prefix(),
                  bean));
    }
  }

  /** The factories of the application, all of which connect to this place. */
  private static List<RedisConnectionFactory> factories(
      DataRedisConnectionDetails details, OwnBeans beans) {
    Set<String> nodes = Set.copyOf(nodes(details));
    List<RedisConnectionFactory> factories = new ArrayList<>();
    for (String bean : beans.all(RedisConnectionFactory.class)) {
      RedisConnectionFactory factory = beans.get(bean, RedisConnectionFactory.class);
      if (!FactoryNodes.of(factory).equals(nodes)) {
        throw new LockConfigurationException(
            "the bean '%s' connects to another Redis than spring.data.redis says: set %s.uri"
                .formatted(bean, beans.prefix()));
      }
      factories.add(factory);
    }
    return factories;
  }

  private static List<String> nodes(DataRedisConnectionDetails details) {
    DataRedisConnectionDetails.Sentinel sentinel = details.getSentinel();
    DataRedisConnectionDetails.Cluster cluster = details.getCluster();
    DataRedisConnectionDetails.Standalone single = details.getStandalone();
    if (sentinel != null) {
      return nodes(sentinel.getNodes());
    }
    if (cluster != null) {
      return nodes(cluster.getNodes());
    }
    return single == null
        ? List.of()
        : List.of(HostPort.of(single.getHost(), single.getPort()).toString());
  }

  private LockConfig read(DataRedisConnectionDetails details) {
    DataRedisConnectionDetails.Sentinel sentinel = details.getSentinel();
    DataRedisConnectionDetails.Cluster cluster = details.getCluster();
    DataRedisConnectionDetails.Standalone single = details.getStandalone();
    if (details.getMasterReplica() != null) {
      throw new LockConfigurationException(
          "locks cannot use a master and replicas of spring.data.redis: set %s.uri to the master"
              .formatted(prefix));
    }
    if (sentinel != null) {
      set("topology", "sentinel");
      set("master", sentinel.getMaster());
      set(Option.Part.HOSTS, String.join(",", nodes(details)));
      set(Option.Part.PATH, String.valueOf(sentinel.getDatabase()));
      set("sentinelUser", sentinel.getUsername());
      set("sentinelPassword", sentinel.getPassword());
    } else if (cluster != null) {
      set("topology", "cluster");
      set(Option.Part.HOSTS, String.join(",", nodes(details)));
    } else if (single != null) {
      set(Option.Part.HOSTS, String.join(",", nodes(details)));
      set(Option.Part.PATH, String.valueOf(single.getDatabase()));
    } else {
      throw new LockConfigurationException(
          "the application's Redis is neither one server nor sentinels nor a cluster: set %s.uri"
              .formatted(prefix));
    }
    set(Option.Part.USER, details.getUsername());
    set(Option.Part.PASSWORD, details.getPassword());
    encrypt(details.getSslBundle());
    return config.build();
  }

  /** With the certificates that the JVM trusts; those of a bundle are in no file. */
  private void encrypt(@Nullable SslBundle bundle) {
    if (bundle == null) {
      return;
    }
    if (bundle.getStores().getTrustStore() != null || bundle.getStores().getKeyStore() != null) {
      throw new LockConfigurationException(
          "locks cannot use the SSL bundle of the application's Redis: set %s.uri, with tls=true and trustStore=FILE"
              .formatted(prefix));
    }
    set("tls", "true");
  }

  private static List<String> nodes(List<DataRedisConnectionDetails.Node> nodes) {
    return nodes.stream()
        .map(node -> HostPort.of(node.host(), node.port()).toString())
        .toList();
  }

  private void set(Option.Part part, @Nullable String text) {
    options.stream().filter(option -> option.part() == part).forEach(option -> set(option, text));
  }

  private void set(String name, @Nullable String text) {
    options.stream()
        .filter(option -> option.part() == Option.Part.QUERY && option.name().equals(name))
        .forEach(option -> set(option, text));
  }

  private <T> void set(Option<T> option, @Nullable String text) {
    if (text != null && !text.isEmpty()) {
      config.set(option, option.parse(text));
    }
  }
}
