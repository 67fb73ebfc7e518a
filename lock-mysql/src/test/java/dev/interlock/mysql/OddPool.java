package dev.interlock.mysql;

import com.mysql.cj.jdbc.MysqlDataSource;
import dev.interlock.CommonOptions;
import dev.interlock.LockConfig;
import dev.interlock.contract.TestClient;
import dev.interlock.mysql.internal.backend.MysqlBackend;
import dev.interlock.spi.ClientId;
import dev.interlock.testservers.MysqlServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * An application's pool whose connections do what drivers and proxies with several servers behind
 * them do: a statement goes where a test says.
 */
public final class OddPool extends MysqlDataSource {
  private static final long serialVersionUID = 1L;

  private final transient Route route;
  private final boolean direct;

  /** Decides where statements go. */
  public interface Route {

    /**
     * Called before each statement.
     *
     * @param usual the connection that was taken from the pool
     * @param sql the statement, or several in one packet
     * @return the connection that it goes to
     */
    Connection of(Connection usual, String sql) throws SQLException;
  }

  OddPool(MysqlServer server, String database, Route route) throws SQLException {
    this(server, database, route, false);
  }

  /**
   * A pool.
   *
   * @param direct whether the driver's own type shows, so that it is seen that there is no proxy
   */
  private OddPool(MysqlServer server, String database, Route route, boolean direct)
      throws SQLException {
    this.route = route;
    this.direct = direct;
    setUrl("jdbc:mysql://" + server.host() + ":" + server.port() + "/" + database);
    setUser(server.user());
    setPassword(server.password());
    setAllowMultiQueries(true);
    setAllowPublicKeyRetrieval(true);
    setSocketTimeout(20_000);
  }

  /** A client without the engine over such a pool. */
  static TestClient client(String namespace, Route route) throws SQLException {
    return client(namespace, Server.freshClientId(), route, false);
  }

  /** The same, where the client sees that there is no proxy, and so wakes others. */
  public static TestClient directClient(String namespace, Route route) throws SQLException {
    return client(namespace, Server.freshClientId(), route, true);
  }

  static TestClient client(String namespace, String id, Route route) throws SQLException {
    return client(namespace, id, route, false);
  }

  private static TestClient client(String namespace, String id, Route route, boolean direct)
      throws SQLException {
    MysqlServer server = Server.shared();
    LockConfig config = LockConfig.builder("mysql")
        .set(CommonOptions.NAMESPACE, namespace)
        .set(MysqlOptions.SCHEMA, MysqlOptions.SchemaMode.CREATE)
        .build();
    return new TestClient(
        id,
        MysqlBackend.over(
            new OddPool(server, server.database(), route, direct),
            config,
            new ClientId(id, "test:1")));
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection usual = super.getConnection();
    return (Connection) Proxy.newProxyInstance(
        OddPool.class.getClassLoader(),
        new Class<?>[] {Connection.class},
        (proxy, method, arguments) -> call(usual, method, arguments));
  }

  private Object call(Connection usual, Method method, Object[] arguments) throws Throwable {
    try {
      if (method.getName().equals("isWrapperFor") && !direct) {
        return false;
      }
      boolean prepares = method.getName().equals("prepareStatement");
      return method.invoke(prepares ? route.of(usual, (String) arguments[0]) : usual, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
