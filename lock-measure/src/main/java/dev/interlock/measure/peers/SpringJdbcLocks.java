package dev.interlock.measure.peers;

import dev.interlock.Capability;
import dev.interlock.measure.server.MysqlPool;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.tck.NotOfferedException;
import java.time.Duration;
import java.util.Set;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** Spring Integration's registry on a table, with the settings that it has by default. */
public final class SpringJdbcLocks implements PeerLocks {
  /** As its schema for MySQL has it. */
  private static final String TABLE = "CREATE TABLE IF NOT EXISTS " + MysqlTables.PREFIX
      + "LOCK (LOCK_KEY CHAR(36) NOT NULL, REGION VARCHAR(100) NOT NULL, CLIENT_ID CHAR(36),"
      + " CREATED_DATE DATETIME(6) NOT NULL, EXPIRED_AFTER DATETIME(6) NOT NULL,"
      + " PRIMARY KEY (LOCK_KEY, REGION)) ENGINE=InnoDB";

  private final MysqlPool pool;
  private final DefaultLockRepository repository;
  private final JdbcLockRegistry registry;

  /**
   * Connects.
   *
   * @param connections how many at the most
   */
  public SpringJdbcLocks(ServerAddress server, int connections) {
    pool = MysqlPool.open(server, connections);
    pool.update(TABLE);
    repository = new DefaultLockRepository(pool.source());
    repository.setPrefix(MysqlTables.PREFIX);
    repository.setTransactionManager(new DataSourceTransactionManager(pool.source()));
    repository.afterPropertiesSet();
    repository.afterSingletonsInstantiated();
    repository.start();
    registry = new JdbcLockRegistry(repository);
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
    pool.close();
  }
}
