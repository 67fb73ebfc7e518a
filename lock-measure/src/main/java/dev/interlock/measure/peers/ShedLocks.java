package dev.interlock.measure.peers;

import dev.interlock.measure.SectionClient;
import dev.interlock.measure.SectionLock;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.SqlPool;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbc.JdbcLockProvider;
import org.jspecify.annotations.Nullable;

/** ShedLock on a table. It never waits for a lock, so this asks again every millisecond. */
public final class ShedLocks implements SectionClient {
  private static final String TABLE = PeerTables.PREFIX + "shedlock";
  private static final Duration AT_MOST = Duration.ofSeconds(30);

  private final SqlPool pool;
  private final JdbcLockProvider provider;

  /**
   * Connects.
   *
   * @param connections how many at the most
   */
  public ShedLocks(ServerAddress server, int connections) {
    pool = SqlPool.open(server, connections);
    pool.update("CREATE TABLE IF NOT EXISTS " + TABLE
        + " (name VARCHAR(64) PRIMARY KEY, lock_until TIMESTAMP(3) NOT NULL,"
        + " locked_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),"
        + " locked_by VARCHAR(255) NOT NULL)");
    provider = new JdbcLockProvider(pool.source(), TABLE);
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
      SectionLock.poll(this::attempt);
    }

    private boolean attempt() {
      Optional<SimpleLock> lock =
          provider.lock(new LockConfiguration(Instant.now(), name, AT_MOST, Duration.ZERO));
      held = lock.orElse(null);
      return lock.isPresent();
    }

    @Override
    public void unlock() {
      Objects.requireNonNull(held).unlock();
    }
  }
}
