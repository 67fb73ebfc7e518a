package dev.interlock.compare.peers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.Capability;
import dev.interlock.LockClient;
import dev.interlock.tck.NotOfferedException;
import java.time.Duration;
import java.util.Set;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** Spring Integration's registry on a table, with the settings that it has by default. */
final class SpringJdbcLocks implements PeerLocks {
  /** The table that the registry's default settings want, as its schema for MySQL has it. */
  private static final String TABLE =
      "CREATE TABLE IF NOT EXISTS INT_LOCK (LOCK_KEY CHAR(36) NOT NULL,"
          + " REGION VARCHAR(100) NOT NULL, CLIENT_ID CHAR(36), CREATED_DATE DATETIME(6) NOT NULL,"
          + " EXPIRED_AFTER DATETIME(6) NOT NULL,"
          + " CONSTRAINT INT_LOCK_PK PRIMARY KEY (LOCK_KEY, REGION)) ENGINE=InnoDB";

  private static final int CONNECTIONS = 16;

  private final HikariDataSource source;
  private final DefaultLockRepository repository;
  private final JdbcLockRegistry registry;

  private SpringJdbcLocks(PeerAddress address) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(
        "jdbc:mysql://" + address.host() + ":" + address.port() + "/" + address.path());
    address.user().ifPresent(config::setUsername);
    address.password().ifPresent(config::setPassword);
    config.setMaximumPoolSize(CONNECTIONS);
    config.setMinimumIdle(1);
    source = new HikariDataSource(config);
    new JdbcTemplate(source).execute(TABLE);
    repository = new DefaultLockRepository(source);
    repository.setTransactionManager(new DataSourceTransactionManager(source));
    repository.afterPropertiesSet();
    repository.afterSingletonsInstantiated();
    repository.start();
    registry = new JdbcLockRegistry(repository);
  }

  static String version() {
    return PeerLocks.version(JdbcLockRegistry.class);
  }

  static LockClient open(String uri) {
    PeerAddress address = PeerAddress.of(uri);
    return new PeerClient(PeerErrors.callUninterruptibly(() -> new SpringJdbcLocks(address)));
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of();
  }

  @Override
  public PeerLock lock(String name) {
    return new SpringLock(registry.obtain(name), JdbcLockRegistry.DEFAULT_TTL, false);
  }

  @Override
  public PeerLock renewed(String name, Duration lease) {
    throw new NotOfferedException("renewal by itself");
  }

  @Override
  public void close() {
    repository.close();
    source.close();
  }
}
