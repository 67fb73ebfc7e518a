package dev.interlock.measure.peers;

import dev.interlock.Capability;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.ServerKind;
import dev.interlock.measure.server.SqlPool;
import dev.interlock.tck.NotOfferedException;
import java.time.Duration;
import java.util.Set;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** Spring Integration's registry on a table, with the settings that it has by default. */
public final class SpringJdbcLocks implements PeerLocks {
  /** As its schemas have it. */
  private static final String TABLE = "CREATE TABLE IF NOT EXISTS " + PeerTables.PREFIX
      + "LOCK (LOCK_KEY CHAR(36) NOT NULL, REGION VARCHAR(100) NOT NULL, CLIENT_ID CHAR(36),"
      + " CREATED_DATE %1$s NOT NULL, EXPIRED_AFTER %1$s NOT NULL,"
      + " PRIMARY KEY (LOCK_KEY, REGION))";

  private final SqlPool pool;
  private final DefaultLockRepository repository;
  private final JdbcLockRegistry registry;

  /**
   * Connects.
   *
   * @param connections how many at the most
   */
  public SpringJdbcLocks(ServerAddress server, int connections) {
    pool = SqlPool.open(server, connections);
    pool.update(TABLE.formatted(pool.kind() == ServerKind.MYSQL ? "DATETIME(6)" : "TIMESTAMP"));
    repository = new DefaultLockRepository(pool.source());
    repository.setPrefix(PeerTables.PREFIX);
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
