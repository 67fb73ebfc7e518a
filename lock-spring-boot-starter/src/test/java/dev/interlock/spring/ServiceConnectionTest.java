package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.testservers.DatabaseServer;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestPostgres;
import dev.interlock.testservers.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * Spring Boot's own way from a container to the locks. The containers stand for servers that run
 * already, since a machine without Docker tests this too; nothing else is made up.
 */
@Timeout(120)
class ServiceConnectionTest {
  private static RedisServer redis;
  private static DatabaseServer postgres;

  private final String namespace = Contexts.namespace();
  private final ApplicationContextRunner runner = new ApplicationContextRunner()
      .withConfiguration(AutoConfigurations.of(
          ServiceConnectionAutoConfiguration.class, InterlockAutoConfiguration.class))
      .withPropertyValues("interlock.namespace=" + namespace);

  @BeforeAll
  static void start() {
    redis = TestRedis.start();
    postgres = TestPostgres.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
    postgres.close();
  }

  private static final class RunningRedis extends GenericContainer<RunningRedis> {
    RunningRedis() {
      super("redis:8");
    }

    @Override
    public void start() {}

    @Override
    public void stop() {}

    @Override
    public boolean isRunning() {
      return true;
    }

    @Override
    public String getHost() {
      return redis.host();
    }

    @Override
    public Integer getMappedPort(int port) {
      return redis.port();
    }
  }

  private static final class RunningPostgres extends PostgreSQLContainer {
    RunningPostgres() {
      super("postgres:18");
    }

    @Override
    public void start() {}

    @Override
    public void stop() {}

    @Override
    public boolean isRunning() {
      return true;
    }

    @Override
    public String getJdbcUrl() {
      return postgres.jdbcUrl();
    }

    @Override
    public String getUsername() {
      return postgres.user();
    }

    @Override
    public String getPassword() {
      return postgres.password();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class WithRedis {
    @Bean
    @ServiceConnection("redis")
    RunningRedis redis() {
      return new RunningRedis();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class WithPostgres {
    @Bean
    @ServiceConnection
    RunningPostgres postgres() {
      return new RunningPostgres();
    }
  }

  /** Locks in the application are held at this address, which no property names. */
  private void locksLiveAt(String uri, Class<?> details, ApplicationContextRunner application) {
    application.run(context -> {
      assertThat(context).hasNotFailed().hasSingleBean(details);
      assertThat(context.getBean(details).getClass().getName())
          .as("what Spring Boot makes of the container")
          .startsWith("org.springframework.boot.")
          .contains("Container");
      try (Lease lease = context.getBean(LockClient.class).acquire(LockRequest.of("mine"));
          LockClient there = Locks.open(uri + "namespace=" + namespace)) {
        assertThat(there.inspect("mine").orElseThrow().fencingToken())
            .isEqualTo(lease.fencingToken());
      }
    });
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis-hash", "redis-setnx", "redis-watch"})
  void locks_are_on_the_redis_of_the_container(String provider) {
    locksLiveAt(
        redis.uri(provider) + "?",
        DataRedisConnectionDetails.class,
        runner
            .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
            .withUserConfiguration(WithRedis.class)
            .withPropertyValues("interlock.provider=" + provider));
  }

  @Test
  void locks_are_on_the_database_of_the_container() {
    locksLiveAt(
        postgres.uri() + "?schema=create&",
        JdbcConnectionDetails.class,
        runner
            .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
            .withUserConfiguration(WithPostgres.class)
            .withPropertyValues("interlock.options.schema=create"));
  }
}
