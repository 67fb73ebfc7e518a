package dev.interlock.redis.support;

import dev.interlock.CommonOptions;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * The options that the Redis providers have in common. Immutable constants.
 *
 * <p>An interface, so that the options class of each provider has them under its own name.
 */
public interface RedisOptions {
  /** The port of a host that names none. */
  int DEFAULT_PORT = 6379;

  /** The port of a sentinel that names none. */
  int DEFAULT_SENTINEL_PORT = 26_379;

  /**
   * The server, the sentinels, or some nodes of the cluster: {@code host[:port][,host...]}, by
   * default {@code localhost}.
   */
  Option<List<HostPort>> HOSTS = Option.hosts(
          List.of(new HostPort("localhost", OptionalInt.empty())))
      .describedAs("the servers; a host without a port has 6379, a sentinel 26379");

  /** {@code topology}: {@code single}, {@code sentinel} or {@code cluster}; by default single. */
  Option<Topology> TOPOLOGY = Option.choice("topology", Topology.class, Topology.SINGLE)
      .describedAs("what stands behind the hosts: single, sentinel or cluster");

  /** {@code master}: under which name the sentinels know the master. */
  Option<String> MASTER = Option.text("master", null)
      .that(name -> !name.isBlank(), "not blank")
      .describedAs("with sentinel: the name of the master");

  /** {@code sentinelUser}: the user of the sentinels themselves, if they have one. */
  Option<String> SENTINEL_USER =
      Option.text("sentinelUser", null).describedAs("with sentinel: the user of the sentinels");

  /** {@code sentinelPassword}: the password of the sentinels themselves; a secret. */
  Option<String> SENTINEL_PASSWORD = Option.text("sentinelPassword", null)
      .secret()
      .describedAs("with sentinel: the password of the sentinels");

  /** The user of the access control lists; without one, the password is the default user's. */
  Option<String> USER = Option.text("user", null)
      .in(Option.Part.USER)
      .describedAs("the user; without one, the password is that of the default user");

  /** The password; a secret. */
  Option<String> PASSWORD = Option.text("password", null)
      .in(Option.Part.PASSWORD)
      .secret()
      .describedAs("the password; special characters are percent-encoded in a URI");

  /** The number of the database, by default 0. */
  Option<Integer> DATABASE = Option.integer("database", 0)
      .in(Option.Part.PATH)
      .atLeast(0)
      .describedAs("the number of the database");

  /** {@code tls}: encrypts the connections and checks the server's name; by default false. */
  Option<Boolean> TLS = Option.bool("tls", false)
      .describedAs("encrypts the connections and checks the server's name");

  /** {@code trustStore}: a file with the certificates to trust, in place of the JVM's. */
  Option<Path> TRUST_STORE = Option.of("trustStore", Path::of, null)
      .describedAs("file (PKCS 12 or JKS) with the certificates to trust; without it, the JVM's");

  /** {@code trustStorePassword}: a secret. */
  Option<String> TRUST_STORE_PASSWORD =
      Option.text("trustStorePassword", null).secret().describedAs("password of the trust store");

  /** {@code connectTimeout}: how long a connection may take to open; by default 2 s. */
  Option<Duration> CONNECT_TIMEOUT =
      timeout("connectTimeout").describedAs("how long a connection may take to open");

  /**
   * {@code timeout}: how long an answer may take, and how long a command may wait for a connection;
   * by default 2 s each.
   */
  Option<Duration> TIMEOUT = timeout("timeout")
      .describedAs("how long an answer may take, and how long a command may wait for a connection");

  /**
   * {@code replicas}: how many replicas must have a grant before it counts; by default 0, and then
   * nobody waits for any. See {@link ReplicatedGrants}.
   */
  Option<Integer> REPLICAS = Option.integer("replicas", 0)
      .atLeast(0)
      .describedAs("how many replicas must have a grant before it counts");

  /** {@code replicaTimeout}: how long a grant waits for the replicas; by default 200 ms. */
  Option<Duration> REPLICA_TIMEOUT = Option.duration("replicaTimeout", Duration.ofMillis(200))
      .atLeast(Duration.ofMillis(1))
      .atMost(Duration.ofSeconds(60))
      .describedAs("how long a grant waits for the replicas before it is given back");

  /** The options of every Redis provider. */
  List<Option<?>> SHARED = List.of(
      HOSTS,
      USER,
      PASSWORD,
      DATABASE,
      TLS,
      TRUST_STORE,
      TRUST_STORE_PASSWORD,
      CONNECT_TIMEOUT,
      TIMEOUT,
      TOPOLOGY,
      MASTER,
      SENTINEL_USER,
      SENTINEL_PASSWORD,
      REPLICAS,
      REPLICA_TIMEOUT);

  /**
   * Finds settings among {@link #SHARED} that do not go together.
   *
   * @param config settings that are each well-formed
   * @return one sentence for each conflict, without secrets
   */
  static List<String> conflicts(LockConfig config) {
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
    found.addAll(topologyConflicts(config));
    found.addAll(replicaConflicts(config));
    return found;
  }

  private static List<String> replicaConflicts(LockConfig config) {
    if (config.get(REPLICAS) == 0) {
      return config.values().containsKey(REPLICA_TIMEOUT)
          ? List.of("replicaTimeout is given without replicas")
          : List.of();
    }
    Duration limit = config.get(REPLICA_TIMEOUT);
    Duration lease = config.get(CommonOptions.LEASE);
    return limit.compareTo(lease) < 0
        ? List.of()
        : List.of("replicaTimeout " + limit + " is not shorter than the lease, " + lease);
  }

  private static List<String> topologyConflicts(LockConfig config) {
    List<String> found = new ArrayList<>();
    Topology topology = config.get(TOPOLOGY);
    if (topology == Topology.SINGLE && config.get(HOSTS).size() > 1) {
      found.add(
          "several hosts are given for one server: add topology=sentinel or topology=cluster");
    }
    if (topology == Topology.CLUSTER && config.get(DATABASE) != 0) {
      found.add(
          "database " + config.get(DATABASE) + " is given, but a cluster has database 0 only");
    }
    if (topology == Topology.SENTINEL && config.find(MASTER).isEmpty()) {
      found.add("topology=sentinel needs master=NAME");
    }
    if (topology != Topology.SENTINEL) {
      for (Option<?> option : List.of(MASTER, SENTINEL_USER, SENTINEL_PASSWORD)) {
        if (config.find(option).isPresent()) {
          found.add(option.name() + " is given without topology=sentinel");
        }
      }
    }
    if (config.find(SENTINEL_USER).isPresent() && config.find(SENTINEL_PASSWORD).isEmpty()) {
      found.add("sentinelUser is given without sentinelPassword");
    }
    return found;
  }

  /**
   * Returns the servers with their ports.
   *
   * @param config the settings
   * @return at least one, each with a port
   */
  static List<HostPort> servers(LockConfig config) {
    int port = config.get(TOPOLOGY) == Topology.SENTINEL ? DEFAULT_SENTINEL_PORT : DEFAULT_PORT;
    return config.get(HOSTS).stream()
        .map(host -> HostPort.of(host.host(), host.port().orElse(port)))
        .toList();
  }

  /**
   * Names the servers for messages.
   *
   * @param config the settings
   * @return such as {@code host:port,host:port}
   */
  static String address(LockConfig config) {
    return servers(config).stream().map(HostPort::toString).collect(Collectors.joining(","));
  }

  private static Option<Duration> timeout(String name) {
    return Option.duration(name, Duration.ofSeconds(2))
        .atLeast(Duration.ofMillis(10))
        .atMost(Duration.ofSeconds(60));
  }
}
