package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.testservers.RedisCluster;
import dev.interlock.testservers.RedisSentinels;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import io.lettuce.core.RedisClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.UnifiedJedis;

/** Without a URI the locks live in the application's Redis. */
@Timeout(120)
class OwnRedisTest {
  private static RedisServer server;

  private final String namespace = Contexts.namespace();
  private final ApplicationContextRunner runner = new ApplicationContextRunner()
      .withConfiguration(
          AutoConfigurations.of(InterlockAutoConfiguration.class, DataRedisAutoConfiguration.class))
      .withPropertyValues("interlock.namespace=" + namespace);

  @BeforeAll
  static void start() {
    server = TestRedis.builder().password("geheim").start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** Locks in the application are held at this address. */
  private void locksLiveAt(String uri, ApplicationContextRunner application) {
    application.run(context -> {
      assertThat(context).hasNotFailed();
      try (Lease lease = context.getBean(LockClient.class).acquire(LockRequest.of("mine"));
          LockClient there = Locks.open(uri + "namespace=" + namespace)) {
        assertThat(there.inspect("mine").orElseThrow().fencingToken())
            .isEqualTo(lease.fencingToken());
      }
    });
  }

  private static String message(ApplicationContextRunner wrong) {
    return Contexts.failure(wrong).getDescription();
  }

  /** A server that is not there: what the starter must not use. */
  private static ApplicationContextRunner elsewhere(ApplicationContextRunner runner) {
    return runner.withPropertyValues("spring.data.redis.port=1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis-hash", "redis-setnx", "redis-watch"})
  void the_server_is_that_of_spring_boots_properties(String provider) {
    locksLiveAt(
        server.uri(provider) + "?",
        runner.withPropertyValues(
            "interlock.provider=" + provider, "spring.data.redis.url=" + server.uri()));
  }

  /** What {@code @ServiceConnection} and Docker Compose make. */
  private record Service(String host, int port, String password, SslBundle bundle)
      implements DataRedisConnectionDetails {
    @Override
    public String getPassword() {
      return password;
    }

    @Override
    public SslBundle getSslBundle() {
      return bundle;
    }

    @Override
    public Standalone getStandalone() {
      return Standalone.of(host, port);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis-hash", "redis-setnx", "redis-watch"})
  void a_service_connection_is_used(String provider) {
    Service service = new Service(server.host(), server.port(), "geheim", null);
    locksLiveAt(
        server.uri(provider) + "?",
        elsewhere(runner)
            .withPropertyValues("interlock.provider=" + provider)
            .withBean(DataRedisConnectionDetails.class, () -> service));
  }

  @Test
  void several_providers_that_could_are_named_with_the_property_to_set() {
    assertThat(message(runner.withPropertyValues("spring.data.redis.url=" + server.uri())))
        .contains("redis-hash over the bean 'redisConnectionDetails'")
        .contains("redis-setnx over the bean 'redisConnectionDetails'")
        .contains("Set interlock.provider, or interlock.uri")
        .doesNotContain("geheim");
  }

  @Test
  void a_lettuce_client_of_the_application_comes_first() {
    locksLiveAt(
        server.uri("redis-hash") + "?",
        elsewhere(runner)
            .withPropertyValues("interlock.provider=redis-hash")
            .withBean(RedisClient.class, () -> RedisClient.create(server.uri())));
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis-setnx", "redis-watch"})
  void a_jedis_pool_of_the_application_comes_first(String provider) {
    ConnectionPool pool = new ConnectionPool(
        new HostAndPort(server.host(), server.port()),
        DefaultJedisClientConfig.builder().password("geheim").build());
    locksLiveAt(
        server.uri(provider) + "?",
        elsewhere(runner)
            .withPropertyValues("interlock.provider=" + provider)
            .withBean(ConnectionPool.class, () -> pool));
  }

  /** A JedisPooled, or from Jedis 8 on a RedisClient, is one. */
  static final class Pooled extends UnifiedJedis {
    private final ConnectionPool pool;

    Pooled(ConnectionPool pool) {
      super(pool.getResource());
      this.pool = pool;
    }

    public ConnectionPool getPool() {
      return pool;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis-setnx", "redis-watch"})
  void the_pool_of_a_jedis_client_of_the_application_comes_first(String provider) {
    ConnectionPool pool = new ConnectionPool(
        new HostAndPort(server.host(), server.port()),
        DefaultJedisClientConfig.builder().password("geheim").build());
    try (Pooled jedis = new Pooled(pool)) {
      locksLiveAt(
          server.uri(provider) + "?",
          elsewhere(runner)
              .withPropertyValues("interlock.provider=" + provider)
              .withBean(UnifiedJedis.class, () -> jedis));
    } finally {
      pool.close();
    }
  }

  @Test
  void a_jedis_pool_that_locks_cannot_use_is_told_with_what_to_declare() {
    ApplicationContextRunner alone = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class))
        .withBean("pool", JedisPool.class, () -> new JedisPool("127.0.0.1", 1));
    assertThat(message(alone))
        .contains("interlock.uri is not set")
        .contains("declare a ConnectionPool of Jedis beside the JedisPool 'pool'");
  }

  @Test
  void two_clients_are_told_apart_by_the_bean() {
    ApplicationContextRunner two = runner
        .withPropertyValues("interlock.provider=redis-hash")
        .withBean("here", RedisClient.class, () -> RedisClient.create(server.uri()))
        .withBean("there", RedisClient.class, () -> RedisClient.create("redis://127.0.0.1:1"));
    assertThat(message(two)).contains("Set interlock.bean, or interlock.uri");
    locksLiveAt(server.uri("redis-hash") + "?", two.withPropertyValues("interlock.bean=here"));
  }

  @Test
  void the_server_of_spring_boot_is_told_from_others_by_the_bean() {
    locksLiveAt(
        server.uri("redis-hash") + "?",
        runner
            .withPropertyValues(
                "spring.data.redis.url=" + server.uri(),
                "interlock.provider=redis-hash",
                "interlock.bean=redisConnectionDetails")
            .withBean(RedisClient.class, () -> RedisClient.create("redis://127.0.0.1:1")));
  }

  @Test
  void sentinels_and_their_password_are_those_of_spring_boot() {
    try (RedisSentinels sentinels =
        TestRedis.sentinels(1, settings -> settings.password("streng"))) {
      String uri = sentinels.uri("redis-setnx");
      locksLiveAt(
          uri + "&",
          runner.withPropertyValues(
              "interlock.provider=redis-setnx",
              "spring.data.redis.password=streng",
              "spring.data.redis.sentinel.password=streng",
              "spring.data.redis.sentinel.master=" + uri.replaceAll(".*master=([^&]*).*", "$1"),
              "spring.data.redis.sentinel.nodes=" + nodes(uri)));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis-hash", "redis-setnx"})
  void a_cluster_is_that_of_spring_boot(String provider) {
    try (RedisCluster cluster = TestRedis.cluster(0, settings -> settings)) {
      locksLiveAt(
          cluster.uri(provider) + "&",
          runner.withPropertyValues(
              "interlock.provider=" + provider,
              "spring.data.redis.cluster.nodes=" + nodes(cluster.uri(provider))));
    }
  }

  /** Spring Boot knows a Redis on localhost if nobody names one. */
  @Test
  void a_server_that_the_applications_own_connection_factory_does_not_use_is_refused() {
    assertThat(message(runner
            .withPropertyValues("interlock.provider=redis-setnx")
            .withBean(
                RedisConnectionFactory.class,
                () -> new LettuceConnectionFactory("elsewhere.example", 6379))))
        .contains("connects to another Redis than spring.data.redis says: set interlock.uri");
  }

  private static String nodes(String uri) {
    return uri.replaceAll("^[a-z-]+://([^@]*@)?([^/?]*).*", "$2");
  }

  @Test
  void certificates_that_are_in_no_file_are_refused_and_never_ignored() {
    SslBundle bundle = SslBundle.of(SslStoreBundle.of(Stores.empty(), null, Stores.empty()));
    Service service = new Service(server.host(), server.port(), "geheim", bundle);
    assertThat(message(runner
            .withPropertyValues("interlock.provider=redis-setnx")
            .withBean(DataRedisConnectionDetails.class, () -> service)))
        .contains("locks cannot use the SSL bundle of the application's Redis: set interlock.uri");
  }

  /**
   * The server of the test does not speak TLS, so the start fails; a password would go in clear.
   */
  @Test
  void a_url_that_asks_for_tls_is_not_opened_without() {
    String url = server.uri().replaceFirst("^redis:", "rediss:");
    assertThat(message(runner.withPropertyValues(
            "interlock.provider=redis-setnx", "spring.data.redis.url=" + url)))
        .containsIgnoringCase("tls");
  }

  private static final class Stores {
    static java.security.KeyStore empty() {
      try {
        java.security.KeyStore store = java.security.KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
      } catch (java.security.GeneralSecurityException | java.io.IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
