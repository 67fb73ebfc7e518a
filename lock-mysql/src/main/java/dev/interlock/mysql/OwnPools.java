package dev.interlock.mysql;

import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Pools of this client's own: one for attempts, one for what frees and keeps locks. The second
 * grows as large as the first, since under load there are as many releases as attempts, but keeps
 * only two connections open. A release uses a connection for attempts if one is idle at that
 * moment, which is most often the one that its thread has just used: the server's thread and the
 * socket then are still warm, and an uncontended cycle is about a tenth faster. It never waits for
 * one. Thread-safe.
 */
final class OwnPools implements Connections {
  private static final int KEPT_FOR_URGENT = 2;

  private final Opener opener;
  private final Pool attempts;
  private final Pool urgent;

  // One for each connection that the pool for attempts may open, so whoever has one need not wait.
  private final Permits permits;
  private final Set<Connection> lent = ConcurrentHashMap.newKeySet();

  OwnPools(LockConfig config, String clientId) {
    this.opener = new Opener(new Servers(config, properties(config)));
    int size = config.get(MysqlOptions.POOL_SIZE);
    Duration patience = config.get(MysqlOptions.CONNECT_TIMEOUT);
    this.permits = new Permits(size, patience);
    Pool first = new Pool("interlock-" + clientId, opener, patience, size, 1);
    try {
      this.urgent = new Pool(
          "interlock-urgent-" + clientId,
          opener,
          patience,
          Math.max(size, KEPT_FOR_URGENT),
          KEPT_FOR_URGENT);
    } catch (RuntimeException e) {
      first.close();
      throw e;
    }
    this.attempts = first;
    opener.setPersistent(true);
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
    // Row locks are short. One that is not belongs to a client that is about to be cut off.
    properties.setProperty(
        "sessionVariables", "innodb_lock_wait_timeout=" + (Protocol.CUT_SECONDS + 1));
    MysqlOptions.TlsMode tls = config.get(MysqlOptions.TLS);
    properties.setProperty("sslMode", tls.name());
    config.find(MysqlOptions.TRUST_STORE).ifPresent(file -> {
      checkReadable(file, config.find(MysqlOptions.TRUST_STORE_PASSWORD).orElse(""));
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

  /** The driver would report this as if the server could not be reached. */
  private static void checkReadable(String trustStore, String password) {
    try {
      KeyStore.getInstance(new File(trustStore), password.toCharArray());
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw new LockConfigurationException(
          "Cannot open 'mysql': trustStore cannot be read with the given trustStorePassword: "
              + e.getMessage(),
          e);
    }
  }

  @Override
  public Connection take(boolean isUrgent) throws SQLException {
    if (!isUrgent) {
      permits.take();
      return permitted();
    }
    if (attempts.idle() == 0 || !permits.tryTake()) {
      return urgent.take();
    }
    Connection connection = permitted();
    lent.add(connection);
    return connection;
  }

  private Connection permitted() throws SQLException {
    try {
      return attempts.take();
    } catch (SQLException | RuntimeException e) {
      permits.giveBack();
      throw e;
    }
  }

  @Override
  public void giveBack(Connection connection, boolean isUrgent, boolean healthy) {
    boolean isForAttempts = !isUrgent || lent.remove(connection);
    try {
      (isForAttempts ? attempts : urgent).giveBack(connection, healthy);
    } finally {
      if (isForAttempts) {
        permits.giveBack();
      }
    }
  }

  @Override
  public Connection listener() throws SQLException {
    return opener.open();
  }

  @Override
  public void endListener(Connection connection) throws SQLException {
    connection.close();
  }

  @Override
  public void close() {
    opener.setPersistent(false);
    attempts.close();
    urgent.close();
  }
}
