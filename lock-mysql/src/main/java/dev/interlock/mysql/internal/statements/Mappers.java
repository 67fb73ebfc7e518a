package dev.interlock.mysql.internal.statements;

import dev.interlock.mysql.internal.connection.ConnectionAges;
import dev.interlock.mysql.internal.connection.MysqlFaults;
import dev.interlock.mysql.internal.queue.Protocol;
import dev.interlock.sql.support.Connections;
import dev.interlock.sql.support.Database;
import dev.interlock.sql.support.MapperFactory;
import java.time.Duration;
import java.util.Map;
import org.apache.ibatis.session.SqlSessionFactory;

/** Reads the statements, and has them run. */
public final class Mappers {
  private Mappers() {}

  /** Runs the statements on connections. */
  public static Database<LockSession> database(
      Connections connections, SqlSessionFactory mappers, Duration timeout) {
    ConnectionAges ages = new ConnectionAges();
    return new Database<>(
        connections,
        mappers,
        (sql, connection) ->
            new LockSession(sql.getMapper(LockMapper.class), ages.micros(connection)),
        timeout,
        MysqlFaults.FAULTS);
  }

  /**
   * Reads the statements.
   *
   * @param prefix how the names of the tables begin
   * @param setsIsolation whether each transaction has to set its isolation level itself
   * @param hasBlocks whether the server takes several statements as one, as MariaDB does: it then
   *     answers once, and not after each of them
   */
  public static SqlSessionFactory create(String prefix, boolean setsIsolation, boolean hasBlocks) {
    String isolation = setsIsolation ? "SET TRANSACTION ISOLATION LEVEL READ COMMITTED;" : "";
    String cut = Integer.toString(Protocol.CUT_SECONDS);
    String claim = Long.toString(Protocol.CLAIM_US);
    return MapperFactory.of(
        LockMapper.class,
        Map.of(
            "prefix", prefix,
            "cut", cut,
            "claim", claim,
            "isolation", isolation,
            "block", hasBlocks ? "BEGIN NOT ATOMIC" : "",
            "blockEnd", hasBlocks ? "; END" : ""));
  }
}
