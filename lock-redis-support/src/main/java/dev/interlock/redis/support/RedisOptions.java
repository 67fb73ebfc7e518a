package dev.interlock.redis.support;

import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The options that the Redis providers have in common. */
public final class RedisOptions {
  /** The port of a host that names none. */
  public static final int DEFAULT_PORT = 6379;

  /** The servers. */
  public static final Option<List<HostPort>> HOSTS = Option.hosts(
          List.of(HostPort.of("localhost", DEFAULT_PORT)))
      .describedAs("the servers; a host without a port has 6379");

  /** The user of Redis' access control lists. */
  public static final Option<String> USER = Option.text("user", null)
      .in(Option.Part.USER)
      .describedAs("the user; without one, the password is that of the default user");

  /** The password. */
  public static final Option<String> PASSWORD = Option.text("password", null)
      .in(Option.Part.PASSWORD)
      .secret()
      .describedAs("the password; special characters are percent-encoded in a URI");

  /** The number of the database. */
  public static final Option<Integer> DATABASE = Option.integer("database", 0)
      .in(Option.Part.PATH)
      .atLeast(0)
      .describedAs("the number of the database");

  /** Whether connections are encrypted. */
  public static final Option<Boolean> TLS = Option.bool("tls", false)
      .describedAs("encrypts the connections and checks the server's name");

  /** A file with the certificates to trust. */
  public static final Option<Path> TRUST_STORE = Option.of("trustStore", Path::of, null)
      .describedAs("file (PKCS 12 or JKS) with the certificates to trust; without it, the JVM's");

  /** The password of the trust store. */
  public static final Option<String> TRUST_STORE_PASSWORD =
      Option.text("trustStorePassword", null).secret().describedAs("password of the trust store");

  /** How long a connection may take to open. */
  public static final Option<Duration> CONNECT_TIMEOUT =
      timeout("connectTimeout").describedAs("how long a connection may take to open");

  /** How long an answer may take, and how long a command may wait for a connection. */
  public static final Option<Duration> TIMEOUT = timeout("timeout")
      .describedAs("how long an answer may take, and how long a command may wait for a connection");

  /** How many connections the pool of a Jedis provider has; not among {@link #SHARED}. */
  public static final Option<Integer> POOL_SIZE = Option.integer("poolSize", 16)
      .atLeast(2)
      .atMost(1024)
      .describedAs("connections for commands; one of them is kept for releases and renewals");

  /** The options of every Redis provider. */
  public static final List<Option<?>> SHARED = List.of(
      HOSTS,
      USER,
      PASSWORD,
      DATABASE,
      TLS,
      TRUST_STORE,
      TRUST_STORE_PASSWORD,
      CONNECT_TIMEOUT,
      TIMEOUT);

  private RedisOptions() {}

  /**
   * Finds settings among {@link #SHARED} that do not go together.
   *
   * @param config settings that are each well-formed
   * @return one sentence for each conflict, without secrets
   */
  public static List<String> conflicts(LockConfig config) {
    List<String> found = new ArrayList<>();
    if (config.find(USER).isPresent() && config.find(PASSWORD).isEmpty()) {
      found.add("user is given without a password: write user:password@host");
    }
    if (config.find(TRUST_STORE).isPresent() && !config.get(TLS)) {
      found.add("trustStore is given without tls=true");
    }
    if (config.find(TRUST_STORE_PASSWORD).isPresent()
        && config.find(TRUST_STORE).isEmpty()) {
      found.add("trustStorePassword is given without trustStore");
    }
    config
        .find(TRUST_STORE)
        .filter(file -> !Files.isReadable(file))
        .ifPresent(file -> found.add("trustStore " + file + " is not a readable file"));
    return found;
  }

  /**
   * Returns the servers with their ports.
   *
   * @param config the settings
   * @return at least one, each with a port
   */
  public static List<HostPort> servers(LockConfig config) {
    return config.get(HOSTS).stream()
        .map(host -> HostPort.of(host.host(), host.port().orElse(DEFAULT_PORT)))
        .toList();
  }

  /**
   * Names the servers for messages.
   *
   * @param config the settings
   * @return such as {@code host:port,host:port}
   */
  public static String address(LockConfig config) {
    return servers(config).stream().map(HostPort::toString).collect(Collectors.joining(","));
  }

  private static Option<Duration> timeout(String name) {
    return Option.duration(name, Duration.ofSeconds(2))
        .atLeast(Duration.ofMillis(10))
        .atMost(Duration.ofSeconds(60));
  }
}
