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
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.IsolationLevelDataSourceAdapter;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.UserCredentialsDataSourceAdapter;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The application's DataSource is one of Spring's proxies; locks have connections of their own. */
@Timeout(120)
class ProxiedDataSourceTest {
  private static DatabaseServer mysql;
  private static DatabaseServer postgres;

  private final String namespace = Contexts.namespace();

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

  /** An application with this DataSource, and its transactions. */
  private record Application(
      LockClient locks,
      LockClient others,
      JdbcTemplate jdbc,
      DataSourceTransactionManager manager) {

    TransactionTemplate transaction() {
      return new TransactionTemplate(manager);
    }
  }

  private interface Use {
    void accept(Application application) throws Exception;
  }

  private ApplicationContextRunner runner(DataSource source) {
    return new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class))
        .withPropertyValues("interlock.namespace=" + namespace, "interlock.options.schema=create")
        .withBean("dataSource", DataSource.class, () -> source);
  }

  private static HikariDataSource pool(DatabaseServer server) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(server.jdbcUrl());
    pool.setUsername(server.user());
    pool.setPassword(server.password());
    return pool;
  }

  private void with(DatabaseServer server, UnaryOperator<DataSource> proxy, Use use) {
    try (HikariDataSource pool = pool(server)) {
      DataSource source = proxy.apply(pool);
      runner(source).run(context -> {
        assertThat(context).hasNotFailed();
        try (LockClient others = Locks.open(server.uri() + "?namespace=" + namespace)) {
          use.accept(new Application(
              context.getBean(LockClient.class),
              others,
              new JdbcTemplate(source),
              new DataSourceTransactionManager(source)));
        }
      });
    }
  }

  static Stream<UnaryOperator<DataSource>> proxies() {
    return Stream.of(
        TransactionAwareDataSourceProxy::new,
        pool -> new LazyConnectionDataSourceProxy(new TransactionAwareDataSourceProxy(pool)),
        pool -> new TransactionAwareDataSourceProxy(new LazyConnectionDataSourceProxy(pool)),
        pool -> new DelegatingDataSource(new TransactionAwareDataSourceProxy(pool)));
  }

  @ParameterizedTest
  @MethodSource("proxies")
  void a_lock_is_seen_before_the_callers_commit_and_stays_after_its_rollback(
      UnaryOperator<DataSource> proxy) {
    for (DatabaseServer server : new DatabaseServer[] {postgres, mysql}) {
      with(server, proxy, application -> {
        application.jdbc().execute("CREATE TABLE IF NOT EXISTS written (id int)");
        Lease lease = application.transaction().execute(status -> {
          application.jdbc().update("INSERT INTO written VALUES (1)");
          Lease taken = application.locks().tryAcquire(LockRequest.of("mine")).orElseThrow();
          assertThat(application.others().inspect("mine"))
              .hasValueSatisfying(
                  seen -> assertThat(seen.fencingToken()).isEqualTo(taken.fencingToken()));
          status.setRollbackOnly();
          return taken;
        });
        assertThat(application.jdbc().queryForObject("SELECT COUNT(*) FROM written", Long.class))
            .as("what the caller has rolled back")
            .isZero();
        assertThat(application.others().tryAcquire(LockRequest.of("mine"))).isEmpty();
        lease.release();
      });
    }
  }

  @ParameterizedTest
  @MethodSource("proxies")
  void a_lock_is_taken_in_a_transaction_that_only_reads(UnaryOperator<DataSource> proxy) {
    with(postgres, proxy, application -> {
      TransactionTemplate reading = application.transaction();
      reading.setReadOnly(true);
      reading.setIsolationLevel(TransactionDefinition.ISOLATION_SERIALIZABLE);
      reading.executeWithoutResult(status -> {
        application.jdbc().queryForObject("SELECT 1", Integer.class);
        application.locks().tryAcquire(LockRequest.of("mine")).orElseThrow().release();
      });
    });
  }

  @Test
  void a_proxy_that_changes_the_account_stays() {
    UserCredentialsDataSourceAdapter account = new UserCredentialsDataSourceAdapter();
    account.setTargetDataSource(new DriverManagerDataSource(postgres.jdbcUrl()));
    account.setUsername(postgres.user());
    account.setPassword(postgres.password());
    runner(new TransactionAwareDataSourceProxy(account)).run(context -> {
      assertThat(context).hasNotFailed();
      context
          .getBean(LockClient.class)
          .tryAcquire(LockRequest.of("mine"))
          .orElseThrow()
          .release();
    });
  }

  @Test
  void a_transaction_that_cannot_be_kept_out_is_refused() {
    try (HikariDataSource pool = pool(postgres)) {
      UserCredentialsDataSourceAdapter outside = new UserCredentialsDataSourceAdapter();
      outside.setTargetDataSource(new TransactionAwareDataSourceProxy(pool));
      IsolationLevelDataSourceAdapter levels = new IsolationLevelDataSourceAdapter();
      levels.setTargetDataSource(pool);
      for (DataSource source : new DataSource[] {outside, levels}) {
        assertThat(Contexts.failure(runner(source)).getDescription())
            .contains("the connections of the bean 'dataSource' follow the transaction")
            .contains("set interlock.bean to a DataSource without TransactionAwareDataSourceProxy")
            .contains("or set interlock.uri");
      }
    }
  }

  /** Writes to one database and reads from another; there is no default. */
  private static final class Routing extends AbstractRoutingDataSource {
    Routing(DataSource writing, DataSource reading) {
      setTargetDataSources(Map.of(false, writing, true, reading));
      afterPropertiesSet();
    }

    @Override
    protected Object determineCurrentLookupKey() {
      return TransactionSynchronizationManager.isActualTransactionActive()
          ? TransactionSynchronizationManager.isCurrentTransactionReadOnly()
          : "none";
    }
  }

  @Test
  void one_that_routes_to_several_databases_is_refused_for_locks_would_be_in_any_of_them() {
    try (HikariDataSource writing = pool(postgres);
        HikariDataSource reading = pool(mysql)) {
      Routing routing = new Routing(writing, reading);
      for (DataSource source : new DataSource[] {
        routing, new LazyConnectionDataSourceProxy(routing), new DelegatingDataSource(routing)
      }) {
        for (String property : new String[] {"interlock.provider=", "interlock.provider=mysql"}) {
          assertThat(
                  Contexts.failure(runner(source).withPropertyValues(property)).getDescription())
              .as("%s, %s", source.getClass(), property)
              .contains("the bean 'dataSource' routes each connection to one of several databases")
              .contains("set interlock.bean to the DataSource bean of that database")
              .contains("or interlock.uri");
        }
      }
    }
  }

  @Test
  void beside_one_that_routes_the_locks_are_in_the_database_that_is_named() {
    try (HikariDataSource writing = pool(postgres);
        HikariDataSource reading = pool(mysql)) {
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class))
          .withPropertyValues(
              "interlock.namespace=" + namespace,
              "interlock.options.schema=create",
              "interlock.bean=writing")
          .withBean("writing", DataSource.class, () -> writing)
          .withBean(
              "routing",
              DataSource.class,
              () -> new Routing(writing, reading),
              bean -> bean.setPrimary(true))
          .run(context -> {
            assertThat(context).hasNotFailed();
            try (Lease lease = context.getBean(LockClient.class).acquire(LockRequest.of("mine"));
                LockClient there = Locks.open(postgres.uri() + "?namespace=" + namespace)) {
              assertThat(there.inspect("mine").orElseThrow().fencingToken())
                  .isEqualTo(lease.fencingToken());
            }
          });
    }
  }
}
