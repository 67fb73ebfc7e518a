package dev.interlock.mysql.internal.grants;

import com.mysql.cj.conf.PropertyKey;
import com.mysql.cj.jdbc.JdbcConnection;
import dev.interlock.mysql.internal.connection.MysqlFaults;
import dev.interlock.mysql.internal.statements.LockKey;
import dev.interlock.mysql.internal.statements.LockMapper;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.ibatis.mapping.BoundSql;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.session.Configuration;

/**
 * The packet that a listener sends again and again: a look for grants on a server that takes
 * writes, and a wait behind it. Its answer is read as it comes, so that a grant is told while the
 * session already waits for the next one. A mapper would read all of it first, so only the text
 * comes from there. Not thread-safe.
 */
final class GrantLook implements AutoCloseable {
  private final Connection connection;
  private final Configuration configuration;
  private final MappedStatement text;
  private final long client;
  private final double seconds;
  private List<LockKey> places = List.of();
  private boolean keeper;
  private PreparedStatement packet;

  /**
   * Prepares to look.
   *
   * @param connection of the session that listens
   * @param client the upper half of the client's hold ids
   * @param seconds how long one packet waits
   * @param keeper whether it sleeps instead of waiting at the gate
   */
  GrantLook(
      Connection connection,
      Configuration configuration,
      long client,
      double seconds,
      boolean keeper)
      throws SQLException {
    this.connection = connection;
    this.configuration = configuration;
    this.text = configuration.getMappedStatement(LockMapper.class.getName() + ".lookAndWait");
    this.client = client;
    this.seconds = seconds;
    this.keeper = keeper;
    doWithoutStatementsOfTheDriver(connection);
    this.packet = prepare();
  }

  /**
   * Before and behind each answer that is read row by row, Connector/J else sets
   * {@code net_write_timeout}, each time with a round trip. The connection is for nothing else, and
   * is thrown away.
   */
  private static void doWithoutStatementsOfTheDriver(Connection connection) throws SQLException {
    connection
        .unwrap(JdbcConnection.class)
        .getPropertySet()
        .getIntegerProperty(PropertyKey.netTimeoutForStreamingResults)
        .setValue(0);
  }

  private PreparedStatement prepare() throws SQLException {
    Map<String, Object> arguments =
        Map.of("client", client, "places", places, "keeper", keeper, "seconds", seconds);
    BoundSql sql = text.getBoundSql(arguments);
    PreparedStatement prepared = connection.prepareStatement(sql.getSql());
    prepared.setFetchSize(Integer.MIN_VALUE); // Connector/J: row by row, without reading ahead
    configuration.newParameterHandler(text, arguments, sql).setParameters(prepared);
    return prepared;
  }

  /**
   * Looks, and then waits until it is woken or its time is over. It is also over, with nothing
   * lost, if it is woken between the two.
   *
   * @param wanted the locks of which parts are waited for
   * @param found hears of each grant that was not confirmed, whether it did before or not
   * @return whether it ran to its end; if not, those that it found may be all or none
   * @throws SQLException if the connection is of no more use
   */
  boolean run(List<LockKey> wanted, Consumer<PendingGrant> found) throws SQLException {
    if (!(wanted.isEmpty() && places.isEmpty())) {
      packet.close();
      places = wanted;
      packet = prepare();
    }
    try {
      packet.execute(); // its beginning answers no rows
      packet.getMoreResults();
      packet.getMoreResults();
      // Read to its end, which comes with the end of the wait, and closed by what is next.
      ResultSet grants = packet.getResultSet();
      while (grants.next()) {
        found.accept(grant(grants));
      }
      boolean gotTheGate = packet.getMoreResults() && isOne(packet.getResultSet()) && !keeper;
      if (gotTheGate) {
        packet.close();
        keeper = true;
        packet = prepare();
      }
      return true;
    } catch (SQLException e) {
      if (!MysqlFaults.FAULTS.isPassing(e, false)) {
        throw e;
      }
      return false;
    }
  }

  private static boolean isOne(ResultSet answer) throws SQLException {
    boolean one = false;
    while (answer.next()) { // one row; the driver must see the end
      one = answer.getLong(1) == 1;
    }
    return one;
  }

  private static PendingGrant grant(ResultSet row) throws SQLException {
    PendingGrant grant = new PendingGrant();
    grant.lockKey = row.getBytes(1);
    grant.client = row.getLong(2);
    grant.hold = row.getLong(3);
    grant.token = row.getLong(4);
    grant.tokens = row.getInt(5);
    grant.ticket = row.getLong(6);
    grant.lastHeir = row.getLong(7);
    grant.remainingUs = row.getLong(8);
    grant.counted = row.getBoolean(9);
    return grant;
  }

  @Override
  public void close() throws SQLException {
    packet.close();
  }
}
