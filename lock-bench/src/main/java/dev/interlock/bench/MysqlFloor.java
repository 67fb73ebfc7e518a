package dev.interlock.bench;

import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/**
 * The raw floor on MySQL: two durable updates of a row, one to take it and one to give it back, and
 * one poll a millisecond while it is taken. No expiry, no fencing, no wake-up.
 */
final class MysqlFloor implements SubjectClient {
  static final String TABLE = "interlock_bench_floor";
  private static final long POLL_NANOS = 1_000_000;

  private final MysqlPool pool;
  private final String holderPrefix = UUID.randomUUID() + ":";

  private MysqlFloor(MysqlPool pool) {
    this.pool = pool;
  }

  static MysqlFloor open(ServerAddress server, int threads) {
    return new MysqlFloor(MysqlPool.open(server, threads));
  }

  @Override
  public SectionLock lock(String name) {
    pool.update("INSERT IGNORE INTO " + TABLE + " (name) VALUES (?)", name);
    return new FloorLock(name);
  }

  @Override
  public void close() {
    pool.close();
  }

  private final class FloorLock implements SectionLock {
    private final String name;
    private String holder = "";
    private long holds;

    FloorLock(String name) {
      this.name = name;
    }

    @Override
    public void lock() throws InterruptedException {
      holder = holderPrefix + Thread.currentThread().getId() + ":" + holds++;
      String take = "UPDATE " + TABLE + " SET holder = ? WHERE name = ? AND holder IS NULL";
      while (pool.update(take, holder, name) == 0) {
        LockSupport.parkNanos(POLL_NANOS);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
    }

    @Override
    public void unlock() {
      String giveBack = "UPDATE " + TABLE + " SET holder = NULL WHERE name = ? AND holder = ?";
      if (pool.update(giveBack, name, holder) != 1) {
        throw new IllegalStateException("the lock was gone at its release");
      }
    }
  }
}
