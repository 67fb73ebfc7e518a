package dev.interlock.redis.hash;

import dev.interlock.HostPort;
import dev.interlock.Option;
import dev.interlock.redis.support.RedisOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The options of {@code redis-hash}, besides {@link dev.interlock.CommonOptions}. Immutable
 * constants.
 */
public final class RedisHashOptions {
  /** The server: {@code host[:port]}, by default {@code localhost:6379}. */
  public static final Option<List<HostPort>> HOSTS = RedisOptions.HOSTS;

  /** The user of the access control lists; without one, the password is the default user's. */
  public static final Option<String> USER = RedisOptions.USER;

  /** The password; a secret. */
  public static final Option<String> PASSWORD = RedisOptions.PASSWORD;

  /** The number of the database, by default 0. */
  public static final Option<Integer> DATABASE = RedisOptions.DATABASE;

  /** {@code tls}: encrypts the connections and checks the server's name; by default false. */
  public static final Option<Boolean> TLS = RedisOptions.TLS;

  /** {@code trustStore}: a file with the certificates to trust, in place of the JVM's. */
  public static final Option<Path> TRUST_STORE = RedisOptions.TRUST_STORE;

  /** {@code trustStorePassword}: a secret. */
  public static final Option<String> TRUST_STORE_PASSWORD = RedisOptions.TRUST_STORE_PASSWORD;

  /** {@code connectTimeout}: how long a connection may take to open; by default 2 s. */
  public static final Option<Duration> CONNECT_TIMEOUT = RedisOptions.CONNECT_TIMEOUT;

  /** {@code timeout}: how long an answer may take; by default 2 s. */
  public static final Option<Duration> TIMEOUT = RedisOptions.TIMEOUT;

  /** All of them. */
  public static final List<Option<?>> ALL = RedisOptions.SHARED;

  private RedisHashOptions() {}
}
