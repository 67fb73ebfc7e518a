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
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.List;
import java.util.stream.Stream;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
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
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.objenesis.SpringObjenesis;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisSentinelPool;
import redis.clients.jedis.JedisSentineled;
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

  @ParameterizedTest
  @ValueSource(strings = {"redis-setnx", "redis-watch"})
  void a_pool_of_jedis_objects_is_used_and_left_open(String provider) {
    GenericObjectPoolConfig<Jedis> few = new GenericObjectPoolConfig<>();
    few.setMaxTotal(3);
    try (JedisPool pool = new JedisPool(
        few,
        new HostAndPort(server.host(), server.port()),
        DefaultJedisClientConfig.builder().password("geheim").build())) {
      ApplicationContextRunner application = elsewhere(runner)
          .withPropertyValues("interlock.provider=" + provider)
          .withBean("pool", JedisPool.class, () -> pool, bean -> bean.setDestroyMethodName(""));
      locksLiveAt(server.uri(provider) + "?", application);
      application.run(context -> {
        LockClient locks = context.getBean(LockClient.class);
        for (int i = 0; i < 20; i++) {
          locks.acquire(LockRequest.of("again")).release();
        }
        assertThat(pool.getBorrowedCount()).as("borrowed from the pool").isPositive();
        assertThat(pool.getNumActive()).as("not given back").isLessThan(3);
      });
      assertThat(pool.getNumActive()).as("not given back at the end").isZero();
      try (Jedis jedis = pool.getResource()) {
        assertThat(jedis.ping()).isEqualTo("PONG");
      }
    }
  }

  @Test
  void of_a_jedis_pool_and_a_pool_of_connections_the_latter_is_used() {
    ConnectionPool pool = new ConnectionPool(
        new HostAndPort(server.host(), server.port()),
        DefaultJedisClientConfig.builder().password("geheim").build());
    locksLiveAt(
        server.uri("redis-setnx") + "?",
        elsewhere(runner)
            .withPropertyValues("interlock.provider=redis-setnx")
            .withBean("old", JedisPool.class, () -> new JedisPool("127.0.0.1", 1))
            .withBean(ConnectionPool.class, () -> pool));
  }

  @Test
  void a_client_of_jedis_without_a_pool_is_told_with_what_to_set() {
    try (UnifiedJedis jedis = new UnifiedJedis(new HostAndPort("127.0.0.1", 1))) {
      ApplicationContextRunner alone = new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class))
          .withPropertyValues("interlock.provider=redis-setnx")
          .withBean("nodes", UnifiedJedis.class, () -> jedis);
      assertThat(message(alone))
          .contains("interlock.uri is not set")
          .contains("the Jedis client 'nodes' has no pool for one server")
          .contains("name its server in interlock.uri");
    }
  }

  /** A client that was never connected. */
  private static <T> ApplicationContextRunner with(
      ApplicationContextRunner runner, Class<T> client) {
    T unconnected = new SpringObjenesis().newInstance(client);
    return runner.withBean(
        "jedis", client, () -> unconnected, bean -> bean.setDestroyMethodName(""));
  }

  @ParameterizedTest
  @ValueSource(classes = {JedisCluster.class, JedisSentineled.class, JedisSentinelPool.class})
  void a_client_of_jedis_for_several_servers_is_not_passed_over_for_the_default_server(
      Class<?> client) {
    String fix = client == JedisCluster.class
        ? "spring.data.redis.cluster.nodes, or in interlock.uri with topology=cluster"
        : "spring.data.redis.sentinel.master, or both in interlock.uri with topology=sentinel&master=NAME";
    for (String provider : List.of("redis-hash", "redis-setnx", "redis-watch")) {
      assertThat(message(with(runner.withPropertyValues("interlock.provider=" + provider), client)))
          .as(provider)
          .contains("the Jedis client 'jedis' has no pool for one server")
          .contains(fix)
          .contains("Set interlock.bean=redisConnectionDetails if");
    }
    ApplicationContextRunner alone = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class))
        .withPropertyValues("interlock.provider=redis-setnx");
    assertThat(message(with(alone, client)))
        .contains("interlock.uri is not set")
        .contains(fix);
  }

  @Test
  void beside_a_client_of_jedis_for_several_servers_the_one_server_can_be_chosen() {
    locksLiveAt(
        server.uri("redis-setnx") + "?",
        with(
            runner.withPropertyValues(
                "interlock.provider=redis-setnx",
                "interlock.bean=redisConnectionDetails",
                "spring.data.redis.url=" + server.uri()),
            JedisCluster.class));
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
      ApplicationContextRunner application = runner.withPropertyValues(
          "interlock.provider=redis-setnx",
          "spring.data.redis.password=streng",
          "spring.data.redis.sentinel.password=streng",
          "spring.data.redis.sentinel.master=" + uri.replaceAll(".*master=([^&]*).*", "$1"),
          "spring.data.redis.sentinel.nodes=" + nodes(uri));
      locksLiveAt(uri + "&", application);
      locksLiveAt(uri + "&", with(application, JedisSentineled.class));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis-hash", "redis-setnx", "redis-watch"})
  void a_cluster_is_that_of_spring_boot(String provider) {
    try (RedisCluster cluster = TestRedis.cluster(0, settings -> settings)) {
      locksLiveAt(
          cluster.uri(provider) + "&",
          runner.withPropertyValues(
              "interlock.provider=" + provider,
              "spring.data.redis.cluster.nodes=" + nodes(cluster.uri(provider))));
    }
  }

  /** Also if the application's own client is that of Jedis, with its pool. */
  @ParameterizedTest
  @ValueSource(strings = {"redis-hash", "redis-setnx"})
  void beside_the_pool_of_spring_datas_jedis_the_locks_have_connections_of_their_own(
      String provider) {
    ApplicationContextRunner jedis = runner.withPropertyValues(
        "interlock.provider=" + provider,
        "spring.data.redis.client-type=jedis",
        "spring.data.redis.jedis.pool.enabled=true");
    locksLiveAt(
        server.uri(provider) + "?",
        jedis.withPropertyValues("spring.data.redis.url=" + server.uri()));
    jedis
        .withPropertyValues("spring.data.redis.url=" + server.uri())
        .run(context -> assertThat(context.getBean(JedisConnectionFactory.class).getUsePool())
            .as("what this test is about")
            .isTrue());
    try (RedisCluster cluster = TestRedis.cluster(0, settings -> settings)) {
      locksLiveAt(
          cluster.uri(provider) + "&",
          jedis.withPropertyValues(
              "spring.data.redis.cluster.nodes=" + nodes(cluster.uri(provider))));
    }
  }

  @Test
  void a_cluster_client_of_lettuce_is_used_and_left_open() {
    try (RedisCluster cluster = TestRedis.cluster(0, settings -> settings.password("geheim"))) {
      RedisClusterClient redis =
          RedisClusterClient.create(Stream.of(nodes(cluster.uri("redis-hash")).split(",", -1))
              .map(node -> RedisURI.create("redis://geheim@" + node))
              .toList());
      try {
        locksLiveAt(
            cluster.uri("redis-hash") + "&",
            elsewhere(runner)
                .withPropertyValues("interlock.provider=redis-hash")
                .withBean(
                    "cluster",
                    RedisClusterClient.class,
                    () -> redis,
                    bean -> bean.setDestroyMethodName("")));
        assertThat(redis.connect().sync().ping()).isEqualTo("PONG");
      } finally {
        redis.shutdown();
      }
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
