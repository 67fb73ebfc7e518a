package dev.interlock.mysql;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.mysql.internal.backend.MysqlBackend;
import dev.interlock.spi.LockClients;
import javax.sql.DataSource;

/** Opens lock clients over a pool of connections that the application owns. Thread-safe. */
public final class MysqlLocks {
  private MysqlLocks() {}

  /**
   * Opens a client with the default options.
   *
   * @param pool connections to MySQL or MariaDB, see {@link #using(DataSource, LockConfig)}
   * @return an open client; closing it leaves the pool open
   * @throws dev.interlock.LockConfigurationException if the tables are missing or not ours
   * @throws dev.interlock.BackendUnavailableException if the server cannot be reached or refuses
   */
  public static LockClient using(DataSource pool) {
    return using(pool, LockConfig.builder("mysql").build());
  }

  /**
   * Opens a client.
   *
   * @param pool connections to MySQL or MariaDB, with the database that has the tables as their
   *     default, all to the one server that takes writes, and none of them within a transaction of
   *     the caller's, which would be committed. They need a socket timeout (at least 5 s, for the
   *     one that listens), or calls may hang with the network. They are returned as they were
   *     taken: autocommit, isolation and session variables unchanged. Allow for {@code poolSize}
   *     connections, one of which is kept for releases and renewals, and for one more while threads
   *     of this client wait. With {@code allowMultiQueries=true} contended locks need fewer round
   *     trips; drivers other than MySQL Connector/J must have it
   * @param config the options that are not about the connection: {@code schema},
   *     {@code tablePrefix}, {@code poolSize}, {@code lease} and {@code namespace}
   * @return an open client; closing it leaves the pool open
   * @throws dev.interlock.LockConfigurationException if an option is wrong, or the tables are
   *     missing or not ours
   * @throws dev.interlock.BackendUnavailableException if the server cannot be reached or refuses
   */
  public static LockClient using(DataSource pool, LockConfig config) {
    return LockClients.open(
        new MysqlProvider(), config, context -> MysqlBackend.over(pool, config, context.client()));
  }
}
