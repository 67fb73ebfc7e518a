package dev.interlock.testservers.internal.database;

import dev.interlock.testservers.TestServerException;
import dev.interlock.testservers.internal.control.ServerEndpoint;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.Properties;
import java.util.StringJoiner;

/** Where a server is and who we are there. */
record DatabaseEndpoint(
    DatabaseKind kind, String host, int port, String user, String password, String database)
    implements ServerEndpoint {
  /** Reads {@code scheme://user:password@host:port/database}; what it cannot read is not echoed. */
  static DatabaseEndpoint parse(DatabaseKind kind, String text) {
    try {
      URI uri = URI.create(text);
      String[] account = uri.getRawUserInfo().split(":", 2);
      return new DatabaseEndpoint(
          kind,
          uri.getHost(),
          uri.getPort() < 0 ? kind.defaultPort() : uri.getPort(),
          decode(account[0]),
          account.length > 1 ? decode(account[1]) : "",
          uri.getPath().substring(1));
    } catch (RuntimeException e) {
      // Without the cause, which would repeat the address and its password.
      throw new TestServerException(
          "The given address has to be " + kind.scheme() + "://user:password@host:port/database.");
    }
  }

  @Override
  public String uri() {
    return kind.scheme() + "://" + user + (password.isEmpty() ? "" : ":" + password) + "@" + host
        + ":" + port + "/" + database;
  }

  String jdbcUrl() {
    return "jdbc:" + kind.driver() + "://" + host + ":" + port + "/" + database;
  }

  String execute(String sql) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      if (!statement.execute(sql)) {
        return "";
      }
      StringJoiner lines = new StringJoiner("\n");
      ResultSet rows = statement.getResultSet();
      while (rows.next()) {
        StringJoiner line = new StringJoiner("\t");
        for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
          line.add(rows.getString(column));
        }
        lines.add(line.toString());
      }
      return lines.toString();
    } catch (SQLException e) {
      throw new TestServerException(sql + ": " + e.getMessage(), e);
    }
  }

  /** One value, or empty if the server does not answer. */
  Optional<String> ask(String sql) {
    try {
      return Optional.of(execute(sql));
    } catch (TestServerException notNow) {
      return Optional.empty();
    }
  }

  private Connection connect() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    properties.setProperty("password", password);
    kind.properties().forEach(properties::setProperty);
    return DriverManager.getConnection(jdbcUrl(), properties);
  }

  private static String decode(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
