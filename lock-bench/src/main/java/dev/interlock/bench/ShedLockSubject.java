package dev.interlock.bench;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbc.JdbcLockProvider;
import org.jspecify.annotations.Nullable;

/** ShedLock on a table. It never waits for a lock, so this asks again every millisecond. */
final class ShedLockSubject implements SubjectClient {
  static final String TABLE = "interlock_bench_shedlock";
  private static final Duration AT_MOST = Duration.ofSeconds(30);
  private static final long POLL_NANOS = 1_000_000;

  private final MysqlPool pool;
  private final JdbcLockProvider provider;

  private ShedLockSubject(MysqlPool pool) {
    this.pool = pool;
    this.provider = new JdbcLockProvider(pool.source(), TABLE);
  }

  static ShedLockSubject open(ServerAddress server, int threads) {
    return new ShedLockSubject(MysqlPool.open(server, threads));
  }

  @Override
  public SectionLock lock(String name) {
    return new PolledLock(name);
  }

  @Override
  public void close() {
    pool.close();
  }

  private final class PolledLock implements SectionLock {
    private final String name;
    private @Nullable SimpleLock held;

    PolledLock(String name) {
      this.name = name;
    }

    @Override
    public void lock() throws InterruptedException {
      Optional<SimpleLock> lock = attempt();
      while (lock.isEmpty()) {
        LockSupport.parkNanos(POLL_NANOS);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        lock = attempt();
      }
      held = lock.get();
    }

    private Optional<SimpleLock> attempt() {
      return provider.lock(new LockConfiguration(Instant.now(), name, AT_MOST, Duration.ZERO));
    }

    @Override
    public void unlock() {
      Objects.requireNonNull(held).unlock();
    }
  }
}
