package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.testservers.DatabaseServer;
import dev.interlock.testservers.TestMysql;
import dev.interlock.testservers.TestPostgres;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** Without a URI the locks live in the application's database. */
@Timeout(120)
class OwnDatabaseTest {
  private static DatabaseServer mysql;
  private static DatabaseServer postgres;

  private final String namespace = Contexts.namespace();
  private final ApplicationContextRunner bare = new ApplicationContextRunner()
      .withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class));
  private final ApplicationContextRunner runner = bare.withConfiguration(
          AutoConfigurations.of(DataSourceAutoConfiguration.class))
      .withPropertyValues("interlock.namespace=" + namespace, "interlock.options.schema=create");

  @BeforeAll
  static void start() {
    mysql = TestMysql.start();
    postgres = TestPostgres.start();
  }

  @AfterAll
  static void stop() {
    mysql.close();
    postgres.close();
  }

  private static String[] dataSource(DatabaseServer server) {
    return new String[] {
      "spring.datasource.url=" + server.jdbcUrl(),
      "spring.datasource.username=" + server.user(),
      "spring.datasource.password=" + server.password()
    };
  }

  /** Locks in the application are held on this server, and nowhere else. */
  private void locksLiveOn(DatabaseServer server, ApplicationContextRunner application) {
    application.run(context -> {
      assertThat(context).hasNotFailed();
      try (Lease lease = context.getBean(LockClient.class).acquire(LockRequest.of("mine"));
          LockClient there = Locks.open(server.uri() + "?schema=create&namespace=" + namespace)) {
        assertThat(there.inspect("mine").orElseThrow().fencingToken())
            .isEqualTo(lease.fencingToken());
      }
    });
  }

  @Test
  void the_provider_is_that_of_the_databases_product() {
    locksLiveOn(mysql, runner.withPropertyValues(dataSource(mysql)));
    locksLiveOn(postgres, runner.withPropertyValues(dataSource(postgres)));
  }

  @Test
  void the_provider_may_be_named() {
    locksLiveOn(
        postgres,
        runner
            .withPropertyValues(dataSource(postgres))
            .withPropertyValues("interlock.provider=postgres"));
  }

  /** What {@code @ServiceConnection} and Docker Compose make. */
  private record Service(DatabaseServer server) implements JdbcConnectionDetails {
    @Override
    public String getUsername() {
      return server.user();
    }

    @Override
    public String getPassword() {
      return server.password();
    }

    @Override
    public String getJdbcUrl() {
      return server.jdbcUrl();
    }
  }

  @Test
  void a_service_connection_is_used() {
    locksLiveOn(
        postgres, runner.withBean(JdbcConnectionDetails.class, () -> new Service(postgres)));
  }

  private static DataSource pool(DatabaseServer server) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(server.jdbcUrl());
    pool.setUsername(server.user());
    pool.setPassword(server.password());
    return pool;
  }

  @Configuration(proxyBeanMethods = false)
  static class Two {
    @Bean
    DataSource orders() {
      return pool(mysql);
    }

    @Bean
    DataSource reports() {
      return pool(postgres);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoWithPrimary {
    @Bean
    @Primary
    DataSource orders() {
      return pool(postgres);
    }

    @Bean
    DataSource reports() {
      return pool(mysql);
    }
  }

  @Test
  void of_two_databases_the_primary_one_is_used() {
    locksLiveOn(postgres, runner.withUserConfiguration(TwoWithPrimary.class));
  }

  @Test
  void of_two_databases_one_is_chosen_by_bean_or_provider_and_never_by_chance() {
    ApplicationContextRunner two = runner.withUserConfiguration(Two.class);
    assertThat(Contexts.failure(two).getDescription())
        .contains("mysql over the bean 'orders'", "postgres over the bean 'reports'")
        .contains("Set interlock.provider or interlock.bean, or interlock.uri");
    locksLiveOn(mysql, two.withPropertyValues("interlock.bean=orders"));
    locksLiveOn(postgres, two.withPropertyValues("interlock.bean=reports"));
    assertThat(Contexts.failure(two.withPropertyValues("interlock.provider=postgres"))
            .getDescription())
        .contains("several connections")
        .contains("Set interlock.bean, or interlock.uri");
  }

  @Test
  void a_bean_that_is_no_connection_is_named() {
    assertThat(Contexts.failure(runner
                .withPropertyValues(dataSource(mysql))
                .withPropertyValues("interlock.bean=nobody"))
            .getDescription())
        .contains("interlock.bean=nobody is no connection that one of the providers can use");
  }

  @Test
  void a_database_of_another_kind_is_not_taken() {
    assertThat(Contexts.failure(runner.withBean("other", DataSource.class, Other::new))
            .getDescription())
        .contains("interlock.uri is not set")
        .contains("no DataSource or Redis connection that one of the providers can use");
  }

  /** A database that no provider knows. */
  private static final class Other extends AbstractDataSource {
    @Override
    public Connection getConnection() {
      DatabaseMetaData facts = stub(DatabaseMetaData.class, "Other");
      return stub(Connection.class, facts);
    }

    @Override
    public Connection getConnection(String user, String password) {
      return getConnection();
    }

    private static <T> T stub(Class<T> type, Object answer) {
      return type.cast(Proxy.newProxyInstance(
          type.getClassLoader(),
          new Class<?>[] {type},
          (proxy, method, arguments) -> method.getReturnType() == void.class ? null : answer));
    }
  }

  @Test
  void a_database_that_is_down_fails_the_start() {
    FailureAnalysis failure = Contexts.failure(runner.withPropertyValues(
        "spring.datasource.url=jdbc:postgresql://127.0.0.1:1/x",
        "spring.datasource.hikari.connection-timeout=300",
        "spring.datasource.hikari.initialization-fail-timeout=-1"));
    assertThat(failure.getDescription())
        .contains("the database of the bean 'dataSource' does not tell what it is");
    assertThat(failure.getAction()).contains("Start the server");
    ApplicationContextRunner plain =
        bare.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class));
    assertThat(Contexts.failure(plain.withPropertyValues(
                "interlock.uri=local://",
                "interlock.clients.orders.lease=1m",
                "spring.datasource.url=jdbc:postgresql://127.0.0.1:1/x",
                "spring.datasource.hikari.connection-timeout=300",
                "spring.datasource.hikari.initialization-fail-timeout=-1"))
            .getDescription())
        .contains("interlock.clients.orders.uri is not set");
  }

  @Test
  void a_uri_and_a_connection_of_the_application_do_not_go_together() {
    assertThat(Contexts.failure(
                bare.withPropertyValues("interlock.uri=local://", "interlock.provider=mysql"))
            .getDescription())
        .contains("interlock.uri and interlock.provider are both set");
    assertThat(
            Contexts.failure(bare.withPropertyValues("interlock.uri=local://", "interlock.bean=x"))
                .getDescription())
        .contains("interlock.uri and interlock.bean are both set");
  }

  @Test
  void a_provider_that_is_not_there_names_its_artifact() {
    FailureAnalysis failure =
        Contexts.failure(bare.withPropertyValues("interlock.provider=quorum"));
    assertThat(failure.getDescription()).contains("dev.interlock:lock-quorum");
    assertThat(failure.getAction()).contains("Add the provider");
  }
}
