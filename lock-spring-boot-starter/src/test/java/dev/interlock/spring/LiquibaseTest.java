package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.testservers.DatabaseServer;
import dev.interlock.testservers.TestMysql;
import dev.interlock.testservers.TestPostgres;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Liquibase makes the tables of the locks, in the database of the application. */
@Timeout(120)
class LiquibaseTest {
  private static final Logger LIQUIBASE = Logger.getLogger("liquibase");

  /** It tells each step, past the logging of Spring Boot. */
  @BeforeAll
  static void quiet() {
    LIQUIBASE.setLevel(Level.WARNING);
  }

  @Test
  void tables_of_mysql_are_there_before_the_clients_look_for_them() {
    tablesAreThere("mysql", TestMysql.start());
  }

  @Test
  void tables_of_postgres_are_there_before_the_clients_look_for_them() {
    tablesAreThere("postgres", TestPostgres.start());
  }

  private static void tablesAreThere(String provider, DatabaseServer started) {
    String prefix = Contexts.namespace() + "_";
    try (DatabaseServer server = started) {
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(
              InterlockAutoConfiguration.class,
              DataSourceAutoConfiguration.class,
              LiquibaseAutoConfiguration.class))
          .withPropertyValues(
              "spring.datasource.url=" + server.jdbcUrl(),
              "spring.datasource.username=" + server.user(),
              "spring.datasource.password=" + server.password(),
              "spring.liquibase.change-log=classpath:locks-" + provider + ".xml",
              "spring.liquibase.parameters.prefix=" + prefix,
              "interlock.options.schema=check",
              "interlock.options.tablePrefix=" + prefix)
          .run(context -> {
            assertThat(context).hasNotFailed();
            context
                .getBean(LockClient.class)
                .tryAcquire(LockRequest.of("mine"))
                .orElseThrow()
                .release();
            assertThat(context
                    .getSourceApplicationContext()
                    .getBeanFactory()
                    .getBeanDefinition("lockClient")
                    .getDependsOn())
                .contains("liquibase");
          });
    }
  }
}
