package dev.interlock.mysql.internal.connection;

import com.mysql.cj.jdbc.Driver;
import dev.interlock.LockConfig;
import dev.interlock.mysql.MysqlOptions;
import dev.interlock.mysql.internal.queue.Protocol;
import dev.interlock.sql.support.Connections;
import dev.interlock.sql.support.Opener;
import dev.interlock.sql.support.OwnPool;
import dev.interlock.sql.support.Servers;
import dev.interlock.sql.support.TrustedFiles;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Locale;
import java.util.Properties;

/** Connector/J, set up as the URI says. Thread-safe. */
public final class MysqlDriver implements Servers.Driver {
  private static final int DEFAULT_PORT = 3306;
  private static final int KEPT_FOR_URGENT = 2;

  private final Properties properties;
  private final boolean several;

  private MysqlDriver(LockConfig config) {
    this.properties = properties(config);
    this.several = config.get(MysqlOptions.HOSTS).size() > 1;
  }

  /** The servers of the URI. */
  public static Servers servers(LockConfig config) {
    return new Servers(
        config.get(MysqlOptions.HOSTS),
        DEFAULT_PORT,
        config.get(MysqlOptions.DATABASE),
        new MysqlDriver(config));
  }

  /**
   * Opens no connection yet. Releases and renewals may have as many as attempts, since under load
   * there are as many of them.
   */
  public static Connections pool(Opener opener, LockConfig config, String client) {
    int size = config.get(MysqlOptions.POOL_SIZE);
    Duration patience = config.get(MysqlOptions.CONNECT_TIMEOUT);
    return new OwnPool(opener, client, size, Math.max(size, KEPT_FOR_URGENT), patience);
  }

  private static Properties properties(LockConfig config) {
    Properties properties = new Properties();
    properties.setProperty("user", config.get(MysqlOptions.USER));
    properties.setProperty("password", config.get(MysqlOptions.PASSWORD));
    properties.setProperty("allowMultiQueries", "true");
    properties.setProperty("characterEncoding", "UTF-8");
    // The quick statements take the server more time to read than to do. Packets of several
    // statements are left out by the driver itself, without asking the server.
    properties.setProperty("useServerPrepStmts", "true");
    properties.setProperty("cachePrepStmts", "true");
    properties.setProperty("prepStmtCacheSize", "64");
    properties.setProperty("prepStmtCacheSqlLimit", "8192"); // the packets are long
    properties.setProperty("useLocalSessionState", "true");
    properties.setProperty("tcpKeepAlive", "true");
    properties.setProperty(
        "connectTimeout", Long.toString(config.get(MysqlOptions.CONNECT_TIMEOUT).toMillis()));
    properties.setProperty(
        "socketTimeout", Long.toString(config.get(MysqlOptions.TIMEOUT).toMillis()));
    // Row locks are short. One that is not belongs to a client that is about to be cut off. Nor
    // must a session wait on for a table when its client has given it up: each repetition would
    // leave one more, until the server takes no connection. The driver takes it for granted that a
    // session commits each statement, and a server may not.
    // Some SQL mode of a server, such as EMPTY_STRING_IS_NULL, may not take what we write.
    properties.setProperty(
        "sessionVariables",
        "autocommit=1,sql_mode='STRICT_TRANS_TABLES',innodb_lock_wait_timeout="
            + (Protocol.CUT_SECONDS + 1)
            + ",lock_wait_timeout="
            + (Protocol.CUT_SECONDS + 1));
    MysqlOptions.TlsMode tls = config.get(MysqlOptions.TLS);
    properties.setProperty("sslMode", tls.name());
    config.find(MysqlOptions.TRUST_STORE).ifPresent(file -> {
      TrustedFiles.requireStore(
          "mysql", file, config.find(MysqlOptions.TRUST_STORE_PASSWORD).orElse(""));
      properties.setProperty(
          "trustCertificateKeyStoreUrl", Path.of(file).toUri().toString());
      properties.setProperty(
          "trustCertificateKeyStoreType",
          file.toLowerCase(Locale.ROOT).endsWith(".jks") ? "JKS" : "PKCS12");
      config
          .find(MysqlOptions.TRUST_STORE_PASSWORD)
          .ifPresent(secret -> properties.setProperty("trustCertificateKeyStorePassword", secret));
    });
    return properties;
  }

  @Override
  public Connection connect(String place) throws SQLException {
    Connection connection = new Driver().connect("jdbc:mysql://" + place, properties);
    try {
      // One server alone says for itself that it takes no writes, and does to some accounts.
      if (several && isReadOnly(connection)) {
        throw new SQLException(
            "the server is read-only; locks need the primary", Servers.NOT_CONNECTED);
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

  @Override
  public boolean isUnreachable(SQLException error) {
    return MysqlFaults.isUnreachable(error);
  }
}
