package dev.interlock.postgres;

import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;

/**
 * The servers of the URI. One of them serves the whole client: the first that can be reached and
 * takes writes, until a connection is to be opened and it is not so any more. Then the next one in
 * the circle serves, and all connections to the last are cut. The driver would decide for each
 * connection alone.
 *
 * <p>A pool that cannot open a connection tries again after pauses of up to 5 s, so its callers
 * would be without the server long after it has come back. Here its thread is kept until the server
 * answers. Thread-safe.
 */
final class Servers implements DataSource {
  private static final int DEFAULT_PORT = 5432;
  private static final int PREPARED_AFTER = 3;
  private static final long PAUSE_MILLIS = 100;

  /** No server has said this: the class of errors of those that cannot be reached. */
  private static final String NOT_CONNECTED = "08001";

  /** It is starting up or shutting down. */
  private static final String NOT_NOW = "57P03";

  private final List<String> addresses;
  private final String database;
  private final Properties properties = new Properties();
  private final int timeoutMillis;
  private volatile boolean persistent;
  private volatile @Nullable SQLException outage;

  // Guarded by this.
  private int serving;
  private Set<Connection> open = connections();

  Servers(LockConfig config, String clientId) {
    this.addresses = config.get(PostgresOptions.HOSTS).stream()
        .map(host -> HostPort.of(host.host(), host.port().orElse(DEFAULT_PORT)).toString())
        .toList();
    this.database = URLEncoder.encode(config.get(PostgresOptions.DATABASE), StandardCharsets.UTF_8)
        .replace("+", "%20");
    this.timeoutMillis = (int) config.get(PostgresOptions.TIMEOUT).toMillis();
    String connectSeconds = Long.toString(
        config.get(PostgresOptions.CONNECT_TIMEOUT).plusMillis(999).toSeconds());
    properties.setProperty("user", config.get(PostgresOptions.USER));
    properties.setProperty("password", config.get(PostgresOptions.PASSWORD));
    properties.setProperty("ApplicationName", "interlock-" + clientId);
    properties.setProperty("connectTimeout", connectSeconds);
    // Until the session is there; a server that is suspended takes connections and says nothing.
    properties.setProperty("socketTimeout", connectSeconds);
    properties.setProperty("tcpKeepAlive", "true");
    properties.setProperty("prepareThreshold", "0");
    properties.setProperty(
        "sslmode",
        config.get(PostgresOptions.TLS).name().toLowerCase(Locale.ROOT).replace('_', '-'));
    config
        .find(PostgresOptions.ROOT_CERTIFICATE)
        .ifPresent(file -> properties.setProperty("sslrootcert", file));
    if (addresses.size() > 1) {
      properties.setProperty("targetServerType", "primary");
    }
  }

  /** No pooler stands in between that would send a statement to a session which has not seen it. */
  void prepareStatements() {
    properties.setProperty("prepareThreshold", Integer.toString(PREPARED_AFTER));
  }

  /** Whether pools are to wait for the server: not while the client opens, nor when it closes. */
  void setPersistent(boolean value) {
    persistent = value;
  }

  /** What kept the last connection from being opened; null if the server answered, if only no. */
  @Nullable
  SQLException outage() {
    return outage;
  }

  /** Opens a connection, or fails once each server was tried. */
  Connection open() throws SQLException {
    try {
      Connection connection = connect();
      outage = null;
      return connection;
    } catch (SQLException e) {
      outage = isUnreachable(e) ? e : null;
      throw e;
    }
  }

  private static boolean isUnreachable(SQLException error) {
    String state = String.valueOf(error.getSQLState());
    return state.startsWith("08") || state.equals(NOT_NOW);
  }

  private Connection connect() throws SQLException {
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
        if (!isUnreachable(e) || addresses.size() == 1) {
          throw e;
        }
        failures.add(addresses.get(server) + ": " + Faults.firstLine(e));
      }
    }
    throw new SQLException(String.join("; ", failures), NOT_CONNECTED);
  }

  private Connection connect(int server) throws SQLException {
    String url = "jdbc:postgresql://" + addresses.get(server) + "/" + database;
    Connection connection = new Driver().connect(url, properties);
    if (connection == null) {
      throw new SQLException("the driver does not know " + addresses.get(server), NOT_CONNECTED);
    }
    connection.setNetworkTimeout(Runnable::run, timeoutMillis);
    return connection;
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

  /** For the pool, on a thread of its own. */
  @Override
  public Connection getConnection() throws SQLException {
    while (true) {
      try {
        return open();
      } catch (SQLException e) {
        if (!isUnreachable(e) || !persistent) {
          throw e;
        }
        pause(e);
      }
    }
  }

  private static void pause(SQLException reason) throws SQLException {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw reason;
    }
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException("the user is in the URI");
  }

  @Override
  public @Nullable PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public void setLogWriter(@Nullable PrintWriter out) {}

  @Override
  public void setLoginTimeout(int seconds) {}

  /** For how long a pool that closes waits for its thread. */
  @Override
  public int getLoginTimeout() {
    return 1;
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLFeatureNotSupportedException();
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }
}
