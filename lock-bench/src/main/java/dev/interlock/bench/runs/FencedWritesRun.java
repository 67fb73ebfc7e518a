package dev.interlock.bench.runs;

import dev.interlock.fencing.jdbc.FencedWrites;
import dev.interlock.measure.Latency;
import dev.interlock.measure.Statistics;
import dev.interlock.measure.peers.PeerTables;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.SqlPool;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * What fencing adds to a transaction that updates one row by its key: one thread, short blocks of
 * each way in turns, so that the ratio is taken within a fraction of a second.
 */
public final class FencedWritesRun {
  private static final int BLOCK = 10;
  private static final String STOCK = PeerTables.PREFIX + "stock";
  private static final String FENCE = PeerTables.PREFIX + "fence";

  private final ServerAddress server;
  private final BenchPlan plan;
  private final Progress progress;
  private final FencedWrites fence = FencedWrites.inTable(FENCE);
  private final Blocks plain = new Blocks("plain", this::update);
  private final List<Blocks> all = List.of(
      plain,
      new Blocks("guard column", this::updateWithColumn),
      new Blocks("guard row", this::updateWithRow));
  private long token;

  public FencedWritesRun(ServerAddress server, BenchPlan plan, Progress progress) {
    this.server = server;
    this.plan = plan;
    this.progress = progress;
  }

  /**
   * Measures all ways. Leaves its tables to {@link PeerTables#drop}.
   *
   * @throws IllegalStateException if the database refuses
   */
  public List<FencedWritesResult> measure() {
    progress.note("fenced writes: transactions with one update, in turns of " + BLOCK);
    try (SqlPool pool = SqlPool.open(server, 1)) {
      // Of a run that was ended.
      pool.update("DROP TABLE IF EXISTS " + FENCE);
      pool.update("DROP TABLE IF EXISTS " + STOCK);
      pool.update(fence.ddl());
      pool.update("CREATE TABLE " + STOCK
          + " (id BIGINT NOT NULL PRIMARY KEY, items BIGINT NOT NULL, token BIGINT NOT NULL)");
      pool.update("INSERT INTO " + STOCK + " VALUES (1, 0, 0)");
      try (Connection connection = pool.source().getConnection()) {
        connection.setAutoCommit(false);
        turns(connection, plan.warmUp().multipliedBy(all.size()));
        all.forEach(Blocks::reset);
        turns(connection, plan.uncontended());
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
    double[] medians = plain.medians();
    return all.stream().map(blocks -> blocks.result(medians)).toList();
  }

  private void turns(Connection connection, Duration longest) throws SQLException {
    long end = System.nanoTime() + longest.toNanos();
    for (int turn = 0; turn == 0 || System.nanoTime() - end < 0; turn++) {
      for (int i = 0; i < all.size(); i++) {
        // Another one is the first in each turn.
        all.get((turn + i) % all.size()).run(connection);
      }
    }
  }

  private void update(Connection connection) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE " + STOCK + " SET items = items + 1 WHERE id = ?")) {
      update.setLong(1, 1);
      update.executeUpdate();
    }
  }

  private void updateWithColumn(Connection connection) throws SQLException {
    token++;
    try (PreparedStatement update = connection.prepareStatement(
        "UPDATE " + STOCK + " SET items = items + 1, token = ? WHERE id = ? AND token <= ?")) {
      update.setLong(1, token);
      update.setLong(2, 1);
      update.setLong(3, token);
      FencedWrites.requireWritten(update.executeUpdate(), "stock", token);
    }
  }

  private void updateWithRow(Connection connection) throws SQLException {
    token++;
    fence.guard(connection, "stock", token);
    update(connection);
  }

  private interface Write {
    void in(Connection connection) throws SQLException;
  }

  /** The blocks of one way. */
  private static final class Blocks {
    private final String way;
    private final Write write;
    private final Histogram times = new Histogram(3);
    private final List<Double> medians = new ArrayList<>();

    Blocks(String way, Write write) {
      this.way = way;
      this.write = write;
    }

    void run(Connection connection) throws SQLException {
      double[] block = new double[BLOCK];
      for (int i = 0; i < BLOCK; i++) {
        long start = System.nanoTime();
        write.in(connection);
        connection.commit();
        long taken = System.nanoTime() - start;
        times.recordValue(taken);
        block[i] = taken;
      }
      medians.add(Statistics.median(block));
    }

    void reset() {
      times.reset();
      medians.clear();
    }

    double[] medians() {
      return medians.stream().mapToDouble(Double::doubleValue).toArray();
    }

    FencedWritesResult result(double[] plain) {
      return new FencedWritesResult(
          way,
          medians.size() * (long) BLOCK,
          Latency.of(times),
          Statistics.ratio(medians(), plain));
    }
  }
}
