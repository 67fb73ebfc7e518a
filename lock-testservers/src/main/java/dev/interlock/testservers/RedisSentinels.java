package dev.interlock.testservers;

import dev.interlock.testservers.internal.control.FreePorts;
import dev.interlock.testservers.internal.control.Readiness;
import dev.interlock.testservers.internal.redis.RedisEndpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A master, its replicas and three sentinels, under a test's control. Thread-safe; methods that
 * change the roles block until the sentinels and the servers agree on them, for 60 s at most.
 */
public final class RedisSentinels implements AutoCloseable {
  private static final String NAME = "locks";
  private static final int SENTINELS = 3;
  private static final String QUORUM = "2";

  /** Long, so that a busy machine does not look like a dead server. */
  private static final String CALM = "10000";

  private static final String HASTY = "500";
  private static final Pattern ACKNOWLEDGING = Pattern.compile("state=online,offset=[1-9]");

  private final RedisNodes servers;
  private final RedisNodes sentinels;
  private final String credentials;

  private RedisSentinels(RedisNodes servers, RedisNodes sentinels, String credentials) {
    this.servers = servers;
    this.sentinels = sentinels;
    this.credentials = credentials;
  }

  static RedisSentinels start(int replicas, Supplier<RedisServerBuilder> nodes) {
    int masterPort = FreePorts.next();
    List<RedisServerBuilder> builders = new ArrayList<>();
    for (int i = 0; i <= replicas; i++) {
      RedisServerBuilder builder = nodes.get().config("repl-diskless-sync-delay", "0");
      builder.password().ifPresent(password -> builder.config("masterauth", password));
      if (builder.speaksTls()) {
        builder.config("tls-replication", "yes");
      }
      builders.add(
          i == 0
              ? builder.onPort(masterPort)
              : builder.config("replicaof", "127.0.0.1", Integer.toString(masterPort)));
    }
    RedisNodes servers = RedisNodes.start(builders);
    try {
      awaitReplicas(servers.servers().get(0), replicas);
      return watched(servers, masterPort, replicas, nodes);
    } catch (RuntimeException e) {
      servers.close();
      throw e;
    }
  }

  private static RedisSentinels watched(
      RedisNodes servers, int masterPort, int replicas, Supplier<RedisServerBuilder> nodes) {
    List<RedisServerBuilder> builders = new ArrayList<>();
    for (int i = 0; i < SENTINELS; i++) {
      RedisServerBuilder builder = nodes
          .get()
          .config("sentinel", "monitor", NAME, "127.0.0.1", Integer.toString(masterPort), QUORUM)
          .config("sentinel", "down-after-milliseconds", NAME, CALM)
          .config("sentinel", "failover-timeout", NAME, "6000");
      builder
          .password()
          .ifPresent(password -> builder.config("sentinel", "auth-pass", NAME, password));
      if (builder.speaksTls()) {
        builder.config("tls-replication", "yes");
      }
      builders.add(builder);
    }
    String credentials = builders
        .get(0)
        .password()
        .map(password -> "sentinelPassword=" + RedisEndpoint.encode(password) + "&")
        .orElse("");
    RedisSentinels set = new RedisSentinels(servers, RedisNodes.start(builders), credentials);
    try {
      Readiness.await(
          "the sentinels know one another and the replicas",
          () -> set.sentinels.servers().stream()
              .allMatch(sentinel -> knows(sentinel, "num-other-sentinels", SENTINELS - 1)
                  && knows(sentinel, "num-slaves", replicas)),
          () -> set.sentinels.servers().get(0).command("SENTINEL", "MASTER", NAME));
      return set;
    } catch (RuntimeException e) {
      set.sentinels.close();
      throw e;
    }
  }

  /** The name of the master, for the sentinels. */
  public String name() {
    return NAME;
  }

  /**
   * {@code scheme://[credentials@]sentinel,sentinel,sentinel?topology=sentinel&...&master=...}; the
   * sentinels have the same password as the servers.
   */
  public String uri(String scheme) {
    return sentinels.uri(scheme) + "?topology=sentinel&" + credentials + "master=" + NAME;
  }

  /** The sentinels. */
  public List<RedisServer> sentinels() {
    return sentinels.servers();
  }

  /** The servers with the data, in no order. */
  public List<RedisServer> servers() {
    return servers.servers();
  }

  /** The server that the first living sentinel calls the master. */
  public RedisServer master() {
    TestServerException last = new TestServerException("There is no sentinel.");
    for (RedisServer sentinel : sentinels.servers()) {
      try {
        return servers.at(masterPort(sentinel));
      } catch (TestServerException e) {
        last = e;
      }
    }
    throw last;
  }

  /** The servers that are not the master. */
  public Stream<RedisServer> replicas() {
    RedisServer master = master();
    return servers.servers().stream().filter(server -> server != master);
  }

  /** Makes a replica the master, as an operator does who takes the master out of service. */
  public void failOver() {
    RedisServer old = master();
    sentinels.servers().get(0).command("SENTINEL", "FAILOVER", NAME);
    awaitSuccessor(old);
    Readiness.await("the old master is a replica", () -> !isMaster(old), () -> replication(old));
  }

  /** Kills the master and waits until the sentinels have made a replica the master. */
  public void killMaster() {
    RedisServer old = master();
    hasten();
    old.kill();
    awaitSuccessor(old);
    calm();
  }

  /** Lets the sentinels take a server for dead that is silent for half a second. */
  public void hasten() {
    downAfter(HASTY);
  }

  /** Undoes {@link #hasten}. */
  public void calm() {
    downAfter(CALM);
  }

  /** Waits until the sentinels agree on another master, and it is one. */
  public void awaitSuccessor(RedisServer old) {
    Readiness.await(
        "the sentinels agree on a master that is not " + old,
        () -> {
          RedisServer now = master();
          return now != old
              && isMaster(now)
              && sentinels.servers().stream()
                  .allMatch(sentinel -> masterPort(sentinel) == now.port());
        },
        () -> sentinels.servers().get(0).command("SENTINEL", "MASTER", NAME));
  }

  /**
   * Waits until a master has this many replicas that follow it and acknowledge what they are sent,
   * which on Valkey begins up to a second after they are online. Something must be sent for that,
   * so the master pings them each second from now on.
   */
  public static void awaitReplicas(RedisServer master, int replicas) {
    master.command("CONFIG", "SET", "repl-ping-replica-period", "1");
    Readiness.await(
        replicas + " replicas follow " + master,
        () -> replication(master)
                .lines()
                .filter(line -> ACKNOWLEDGING.matcher(line).find())
                .count()
            == replicas,
        () -> replication(master));
  }

  private void downAfter(String millis) {
    sentinels
        .servers()
        .forEach(sentinel ->
            sentinel.command("SENTINEL", "SET", NAME, "down-after-milliseconds", millis));
  }

  private static boolean knows(RedisServer sentinel, String field, int number) {
    List<String> lines = sentinel.command("SENTINEL", "MASTER", NAME).lines().toList();
    return Integer.parseInt(lines.get(lines.indexOf(field) + 1)) == number;
  }

  private static int masterPort(RedisServer sentinel) {
    String address = sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME);
    return Integer.parseInt(address.substring(address.lastIndexOf('\n') + 1));
  }

  private static boolean isMaster(RedisServer server) {
    return replication(server).contains("role:master");
  }

  private static String replication(RedisServer server) {
    return server.command("INFO", "replication");
  }

  /** Ends all servers. */
  @Override
  public void close() {
    sentinels.close();
    servers.close();
  }
}
