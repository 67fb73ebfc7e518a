package dev.interlock.postgres.internal.connection;

import dev.interlock.LockConfig;
import dev.interlock.postgres.PostgresOptions;
import dev.interlock.sql.support.Connections;
import dev.interlock.sql.support.Opener;
import dev.interlock.sql.support.OwnPool;
import dev.interlock.sql.support.Servers;
import dev.interlock.sql.support.TrustedFiles;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Properties;
import org.postgresql.Driver;

/** pgjdbc, set up as the URI says. Thread-safe. */
public final class PostgresDriver implements Servers.Driver {
  private static final int DEFAULT_PORT = 5432;
  private static final int PREPARED_AFTER = 3;
  private static final int KEPT_FOR_URGENT = 2;

  private final LockConfig config;
  private final Properties properties = new Properties();

  public PostgresDriver(LockConfig config, String clientId) {
    this.config = config;
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
    if (isSeenByDriver(PromptSockets.class)) {
      properties.setProperty("socketFactory", PromptSockets.class.getName());
    }
    properties.setProperty(
        "sslmode",
        config.get(PostgresOptions.TLS).name().toLowerCase(Locale.ROOT).replace('_', '-'));
    config.find(PostgresOptions.ROOT_CERTIFICATE).ifPresent(file -> {
      TrustedFiles.requireCertificates("postgres", file);
      properties.setProperty("sslrootcert", file);
    });
    if (config.get(PostgresOptions.HOSTS).size() > 1) {
      properties.setProperty("targetServerType", "primary");
    }
  }

  /** Not where the driver was loaded by another class loader than this provider. */
  private static boolean isSeenByDriver(Class<?> ours) {
    try {
      return Class.forName(ours.getName(), false, Driver.class.getClassLoader()) == ours;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /**
   * No pooler stands in between that would send a statement to a session which has not seen it, or
   * refuse a setting. Where somebody keeps a row locked, the server ends the wait before the client
   * does: or it would wait on without a client, and each repetition leave one more session behind.
   */
  public void goDirect() {
    properties.setProperty("prepareThreshold", Integer.toString(PREPARED_AFTER));
    properties.setProperty(
        "options", "-c lock_timeout=" + config.get(PostgresOptions.TIMEOUT).toMillis() / 2);
  }

  /** The servers of the URI. */
  public Servers servers() {
    return new Servers(
        config.get(PostgresOptions.HOSTS),
        DEFAULT_PORT,
        config.get(PostgresOptions.DATABASE),
        this);
  }

  /** Opens no connection yet. */
  public static Connections pool(Opener opener, LockConfig config, String client) {
    int size = config.get(PostgresOptions.POOL_SIZE);
    Duration patience = config.get(PostgresOptions.CONNECT_TIMEOUT);
    return new OwnPool(opener, client, size, KEPT_FOR_URGENT, patience);
  }

  @Override
  public Connection connect(String place) throws SQLException {
    Connection connection = new Driver().connect("jdbc:postgresql://" + place, properties);
    if (connection == null) {
      throw new SQLException("the driver does not know " + place, Servers.NOT_CONNECTED);
    }
    int timeoutMillis = (int) config.get(PostgresOptions.TIMEOUT).toMillis();
    connection.setNetworkTimeout(Runnable::run, timeoutMillis);
    return connection;
  }

  @Override
  public boolean isUnreachable(SQLException error) {
    return PostgresFaults.isUnreachable(error);
  }
}
