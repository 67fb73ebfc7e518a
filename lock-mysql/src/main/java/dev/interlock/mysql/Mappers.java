package dev.interlock.mysql;

import dev.interlock.sql.support.MapperFactory;
import java.util.Map;
import org.apache.ibatis.session.SqlSessionFactory;

/** Reads the statements. */
final class Mappers {
  private Mappers() {}

  /**
   * Reads the statements.
   *
   * @param prefix how the names of the tables begin
   * @param setsIsolation whether each transaction has to set its isolation level itself
   */
  static SqlSessionFactory create(String prefix, boolean setsIsolation) {
    String isolation = setsIsolation ? "SET TRANSACTION ISOLATION LEVEL READ COMMITTED;" : "";
    String cut = Integer.toString(Protocol.CUT_SECONDS);
    return MapperFactory.of(
        LockMapper.class, Map.of("prefix", prefix, "cut", cut, "isolation", isolation));
  }
}
