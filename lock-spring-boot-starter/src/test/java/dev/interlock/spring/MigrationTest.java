package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.postgres.PostgresLocks;
import dev.interlock.testservers.DatabaseServer;
import dev.interlock.testservers.TestPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.mock.env.MockEnvironment;

/** Flyway makes the tables of the locks, in the database of the application. */
@Timeout(120)
class MigrationTest {
  private static final String INITIALIZER = "flywayInitializer";

  @TempDir
  private static Path migrations;

  private static DatabaseServer server;

  private final String prefix = Contexts.namespace() + "_";
  private final ApplicationContextRunner runner = new ApplicationContextRunner()
      .withConfiguration(AutoConfigurations.of(
          InterlockAutoConfiguration.class,
          DataSourceAutoConfiguration.class,
          FlywayAutoConfiguration.class))
      .withPropertyValues(
          "spring.datasource.url=" + server.jdbcUrl(),
          "spring.datasource.username=" + server.user(),
          "spring.datasource.password=" + server.password(),
          "spring.flyway.locations=filesystem:" + migrations,
          "spring.flyway.placeholders.prefix=" + prefix,
          "spring.flyway.table=" + prefix + "history",
          "spring.flyway.baseline-on-migrate=true",
          "spring.flyway.baseline-version=0");
  private final ApplicationContextRunner locking = runner.withPropertyValues(
      "interlock.options.schema=check", "interlock.options.tablePrefix=" + prefix);

  @BeforeAll
  static void start() throws IOException {
    server = TestPostgres.start();
    int version = 1;
    for (String script : List.of("schema", "functions", "counted")) {
      try (InputStream in = PostgresLocks.class.getResourceAsStream(script + ".sql")) {
        Files.copy(Objects.requireNonNull(in), migrations.resolve("V" + version++ + "__locks.sql"));
      }
    }
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void tables_are_there_before_the_clients_look_for_them() {
    locking
        .withPropertyValues(
            "interlock.clients.orders.lease=1m",
            "interlock.clients.orders.options.tablePrefix=" + prefix)
        .run(context -> {
          assertThat(context).hasNotFailed();
          for (String client : List.of("lockClient", "ordersLockClient")) {
            context
                .getBean(client, LockClient.class)
                .tryAcquire(LockRequest.of("mine"))
                .orElseThrow()
                .release();
            assertThat(dependencies(context.getSourceApplicationContext(), client))
                .contains(INITIALIZER);
          }
        });
  }

  private static List<String> dependencies(ConfigurableApplicationContext context, String bean) {
    String[] names = context.getBeanFactory().getBeanDefinition(bean).getDependsOn();
    return names == null ? List.of() : List.of(names);
  }

  @Configuration(proxyBeanMethods = false)
  static class Own {
    @Bean
    LockClient lockClient() {
      return Locks.open("local://");
    }
  }

  private static void waitsForNothing(ApplicationContextRunner application, String client) {
    application.run(context -> {
      assertThat(context).hasNotFailed();
      assertThat(dependencies(context.getSourceApplicationContext(), client)).isEmpty();
    });
  }

  /** So that a migration can take a lock. */
  @Test
  void a_client_that_is_elsewhere_does_not_wait() {
    waitsForNothing(runner.withPropertyValues("interlock.uri=local://"), "lockClient");
    waitsForNothing(
        locking.withPropertyValues("interlock.clients.elsewhere.uri=local://"),
        "elsewhereLockClient");
    waitsForNothing(runner.withUserConfiguration(Own.class), "lockClient");
  }

  private static Set<String> waiting(String property, String value) {
    DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    beans.registerSingleton("source", new DriverManagerDataSource());
    MockEnvironment environment =
        new MockEnvironment().withProperty("interlock.clients.orders." + property, value);
    return new ClientsOnDatabase(environment).detect(beans);
  }

  @Test
  void a_client_of_another_provider_or_bean_does_not_wait() {
    assertThat(waiting("provider", "redis-hash")).isEmpty();
    assertThat(waiting("bean", "redis")).isEmpty();
    assertThat(waiting("provider", "postgres")).containsExactly("ordersLockClient");
    assertThat(waiting("bean", "source")).containsExactly("ordersLockClient");
  }
}
