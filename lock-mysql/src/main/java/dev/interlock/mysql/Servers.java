package dev.interlock.mysql;

import com.mysql.cj.jdbc.Driver;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * The servers of the URI. One of them serves the whole client: the first that can be reached and
 * takes writes, until a connection is to be opened and it is not so any more. Then the next one in
 * the circle serves, all connections to the last are cut, and nothing leads back by itself. The
 * driver would decide for each connection alone, and return to the first server at any moment.
 * Thread-safe.
 */
final class Servers {
  private static final int DEFAULT_PORT = 3306;

  /** No server has said this: the class of errors of those that cannot be reached. */
  private static final String NOT_CONNECTED = "08001";

  private final List<String> addresses;
  private final String database;
  private final Properties properties;

  // Guarded by this.
  private int serving;
  private Set<Connection> open = connections();

  Servers(LockConfig config, Properties properties) {
    this.addresses = config.get(MysqlOptions.HOSTS).stream()
        .map(host -> HostPort.of(host.host(), host.port().orElse(DEFAULT_PORT)).toString())
        .toList();
    this.database = URLEncoder.encode(config.get(MysqlOptions.DATABASE), StandardCharsets.UTF_8)
        .replace("+", "%20");
    this.properties = properties;
  }

  /**
   * Connects to the server that serves.
   *
   * @throws SQLException with what the server answered; if none can be reached that takes writes,
   *     with what was met at each
   */
  Connection connect() throws SQLException {
    int first = serving();
    List<String> failures = new ArrayList<>();
    for (int i = 0; i < addresses.size(); i++) {
      int server = (first + i) % addresses.size();
      try {
        Connection connection = connect(server);
        if (serve(server, first, connection)) {
          return connection;
        }
        connection.close();
        return connect(); // another thread has moved the client to another server meanwhile
      } catch (SQLException e) {
        if (!Faults.isUnreachable(e) || addresses.size() == 1) {
          throw e;
        }
        failures.add(addresses.get(server) + ": " + Faults.reason(e));
      }
    }
    throw new SQLException(String.join("; ", failures), NOT_CONNECTED);
  }

  private Connection connect(int server) throws SQLException {
    String url = "jdbc:mysql://" + addresses.get(server) + "/" + database;
    Connection connection = new Driver().connect(url, properties);
    try {
      // One server alone says for itself that it takes no writes, and does to some accounts.
      if (addresses.size() > 1 && isReadOnly(connection)) {
        throw new SQLException("the server is read-only; locks need the primary", NOT_CONNECTED);
      }
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  private static boolean isReadOnly(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT @@GLOBAL.read_only, @@GLOBAL.innodb_read_only")) {
      row.next();
      return isOn(row.getString(1)) || isOn(row.getString(2));
    }
  }

  /** MariaDB 12 has more than one way to be on. */
  private static boolean isOn(String value) {
    return !value.equals("0") && !value.equalsIgnoreCase("OFF");
  }

  private synchronized int serving() {
    return serving;
  }

  /** Has a server serve unless another thread has moved the client since the first was asked. */
  private boolean serve(int server, int first, Connection connection) {
    Set<Connection> left = Set.of();
    synchronized (this) {
      if (serving != server) {
        if (serving != first) {
          return false;
        }
        serving = server;
        left = open;
        open = connections();
      }
      open.add(connection);
    }
    left.forEach(Servers::cut);
    return true;
  }

  private static void cut(Connection connection) {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      // It is cut already.
    }
  }

  private static Set<Connection> connections() {
    return Collections.newSetFromMap(new WeakHashMap<>());
  }
}
