package dev.interlock.bench;

import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** Spring Integration's lock registry on a table, with the settings that it has by default. */
final class SpringJdbcSubject implements SubjectClient {
  private static final String PREFIX = "INTERLOCK_BENCH_";
  static final String TABLE = PREFIX + "LOCK";

  private final MysqlPool pool;
  private final DefaultLockRepository repository;
  private final JdbcLockRegistry registry;

  private SpringJdbcSubject(MysqlPool pool) {
    this.pool = pool;
    repository = new DefaultLockRepository(pool.source());
    repository.setPrefix(PREFIX);
    repository.setTransactionManager(new DataSourceTransactionManager(pool.source()));
    repository.afterPropertiesSet();
    repository.afterSingletonsInstantiated();
    repository.start();
    registry = new JdbcLockRegistry(repository);
  }

  static SpringJdbcSubject open(ServerAddress server, int threads) {
    return new SpringJdbcSubject(MysqlPool.open(server, threads));
  }

  @Override
  public SectionLock lock(String name) {
    return new JavaLock(registry.obtain(name));
  }

  @Override
  public void close() {
    repository.close();
    pool.close();
  }
}
