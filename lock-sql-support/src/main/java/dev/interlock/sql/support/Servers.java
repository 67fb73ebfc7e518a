package dev.interlock.sql.support;

import dev.interlock.HostPort;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * The servers of the URI. One of them serves the whole client: the first that can be reached and
 * takes writes, until a connection is to be opened and it is not so any more. Then the next one in
 * the circle serves, all connections to the last are cut, and nothing leads back by itself. The
 * driver would decide for each connection alone, and return to the first server at any moment.
 * Thread-safe.
 */
public final class Servers {
  /** No server has said this: the class of errors of those that cannot be reached. */
  public static final String NOT_CONNECTED = "08001";

  private final List<String> addresses;
  private final String database;
  private final Driver driver;

  // Guarded by this.
  private int serving;
  private Set<Connection> open = connections();

  /**
   * Begins with the first one.
   *
   * @param hosts the servers
   * @param defaultPort of those that name none
   * @param database of each of them
   * @param driver opens connections
   */
  public Servers(List<HostPort> hosts, int defaultPort, String database, Driver driver) {
    this.addresses = hosts.stream()
        .map(host -> HostPort.of(host.host(), host.port().orElse(defaultPort)).toString())
        .toList();
    this.database = URLEncoder.encode(database, StandardCharsets.UTF_8).replace("+", "%20");
    this.driver = driver;
  }

  /** What each database has of its own. Thread-safe. */
  public interface Driver {
    /**
     * Opens a connection to one server. If there are several, to one that takes writes only.
     *
     * @param place host, port and database as they stand in a JDBC URL behind the two slashes
     * @return an open connection
     * @throws SQLException what the server or the driver says
     */
    Connection connect(String place) throws SQLException;

    /**
     * Tells whether nobody answered where a connection was to be opened, or only that there is no
     * connection to be had now.
     *
     * @param error from {@link #connect}
     * @return whether to try another server, or to try again
     */
    boolean isUnreachable(SQLException error);
  }

  /**
   * Connects to the server that serves.
   *
   * @return an open connection
   * @throws SQLException with what the server answered; if none can be reached that takes writes,
   *     with what was met at each
   */
  public Connection connect() throws SQLException {
    int first = serving();
    List<String> failures = new ArrayList<>();
    for (int i = 0; i < addresses.size(); i++) {
      int server = (first + i) % addresses.size();
      try {
        Connection connection = driver.connect(addresses.get(server) + "/" + database);
        if (serve(server, first, connection)) {
          return connection;
        }
        connection.close();
        return connect(); // another thread has moved the client to another server meanwhile
      } catch (SQLException e) {
        if (!isUnreachable(e) || addresses.size() == 1) {
          throw e;
        }
        failures.add(addresses.get(server) + ": " + Faults.reason(e));
      }
    }
    throw new SQLException(String.join("; ", failures), NOT_CONNECTED);
  }

  /** Whether a connection could not be opened because nobody answered, or has one to give now. */
  boolean isUnreachable(SQLException error) {
    return driver.isUnreachable(error);
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
    left.forEach(Connections::cut);
    return true;
  }

  private static Set<Connection> connections() {
    return Collections.newSetFromMap(new WeakHashMap<>());
  }
}
