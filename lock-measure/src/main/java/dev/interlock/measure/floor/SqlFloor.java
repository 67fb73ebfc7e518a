package dev.interlock.measure.floor;

import dev.interlock.measure.SectionClient;
import dev.interlock.measure.SectionLock;
import dev.interlock.measure.peers.PeerTables;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.SqlPool;
import java.util.UUID;

/**
 * The raw floor in a database: two durable updates of a row, one to take it and one to give it
 * back, and one poll a millisecond while it is taken. No expiry, no fencing, no wake-up.
 */
public final class SqlFloor implements SectionClient {
  private static final String TABLE = PeerTables.PREFIX + "floor";

  private final SqlPool pool;
  private final String holderPrefix = UUID.randomUUID() + ":";

  /**
   * Connects.
   *
   * @param threads how many will use it
   */
  public SqlFloor(ServerAddress server, int threads) {
    this.pool = SqlPool.open(server, threads);
    pool.holders(TABLE);
  }

  @Override
  public SectionLock lock(String name) {
    pool.addHolder(TABLE, name);
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
      SectionLock.poll(() -> pool.update(take, holder, name) != 0);
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
