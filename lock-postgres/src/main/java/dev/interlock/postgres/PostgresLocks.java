package dev.interlock.postgres;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.postgres.internal.backend.PostgresBackend;
import dev.interlock.spi.LockClients;
import javax.sql.DataSource;

/** Opens lock clients over a pool of connections that the application owns. Thread-safe. */
public final class PostgresLocks {
  private PostgresLocks() {}

  /**
   * Opens a client with the default options.
   *
   * @param pool connections to PostgreSQL, see {@link #using(DataSource, LockConfig)}
   * @return an open client; closing it leaves the pool open
   * @throws dev.interlock.LockConfigurationException if the tables are missing or not ours
   * @throws dev.interlock.BackendUnavailableException if the server cannot be reached or refuses
   */
  public static LockClient using(DataSource pool) {
    return using(pool, LockConfig.builder("postgres").build());
  }

  /**
   * Opens a client.
   *
   * @param pool connections to PostgreSQL, all to the one server that takes writes, with READ
   *     COMMITTED as their isolation, and none of them within a transaction of the caller's, which
   *     would be committed. They need a socket timeout, or calls may hang with the network, and a
   *     shorter {@code lock_timeout}, or sessions wait on behind calls that were given up. They are
   *     returned as they were taken. Allow for {@code poolSize} connections, one of which is kept
   *     for releases and renewals, and for one more, on which the client listens once one of its
   *     threads has to wait
   * @param config the options that are not about the connection: {@code schema},
   *     {@code tablePrefix}, {@code poolSize}, {@code lease} and {@code namespace}
   * @return an open client; closing it leaves the pool open
   * @throws dev.interlock.LockConfigurationException if an option is wrong, or the tables are
   *     missing or not ours
   * @throws dev.interlock.BackendUnavailableException if the server cannot be reached or refuses
   */
  public static LockClient using(DataSource pool, LockConfig config) {
    return LockClients.open(
        new PostgresProvider(),
        config,
        context -> PostgresBackend.over(pool, config, context.client()));
  }
}
