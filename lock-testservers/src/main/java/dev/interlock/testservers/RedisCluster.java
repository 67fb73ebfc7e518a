package dev.interlock.testservers;

import dev.interlock.testservers.internal.control.FreePorts;
import dev.interlock.testservers.internal.control.Readiness;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A cluster of three masters under a test's control, each with replicas if asked for. Thread-safe;
 * methods that change roles or slots block until the nodes agree on them, for 60 s at most.
 */
public final class RedisCluster implements AutoCloseable {
  private static final int MASTERS = 3;
  private static final int SLOTS = 16_384;

  /** Long, so that a busy machine does not look like a dead node. */
  private static final String CALM = "10000";

  private static final String HASTY = "500";
  private static final String MIGRATION_LIMIT_MILLIS = "5000";

  private final RedisNodes nodes;
  private final String[] credentials;

  private RedisCluster(RedisNodes nodes, String[] credentials) {
    this.nodes = nodes;
    this.credentials = credentials;
  }

  static RedisCluster start(int replicasEach, Supplier<RedisServerBuilder> settings) {
    List<RedisServerBuilder> builders = new ArrayList<>();
    for (int i = 0; i < MASTERS * (1 + replicasEach); i++) {
      RedisServerBuilder builder = settings
          .get()
          .onPort(FreePorts.nextWithBus())
          .config("cluster-enabled", "yes")
          .config("cluster-node-timeout", CALM)
          .config("repl-diskless-sync-delay", "0");
      builder.password().ifPresent(password -> builder.config("masterauth", password));
      if (builder.speaksTls()) {
        builder.config("tls-cluster", "yes").config("tls-replication", "yes");
      }
      builders.add(builder);
    }
    String[] credentials = builders
        .get(0)
        .password()
        .map(password -> new String[] {"AUTH", password})
        .orElse(new String[0]);
    RedisCluster cluster = new RedisCluster(RedisNodes.start(builders), credentials);
    try {
      cluster.form(replicasEach);
      return cluster;
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private void form(int replicasEach) {
    List<RedisServer> servers = nodes.servers();
    RedisServer first = servers.get(0);
    for (int i = 0; i < servers.size(); i++) {
      // Epochs of their own, so that the nodes need not settle a conflict first.
      servers.get(i).command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
      if (i < MASTERS) {
        servers.get(i).command(slots(i * SLOTS / MASTERS, (i + 1) * SLOTS / MASTERS));
      }
      servers.get(i).command("CLUSTER", "MEET", first.host(), Integer.toString(first.port()));
    }
    awaitAll("know one another", seen -> seen.size() == servers.size());
    for (int i = MASTERS; i < servers.size(); i++) {
      String master = ClusterNode.idOf(servers.get(i % MASTERS));
      servers.get(i).command("CLUSTER", "REPLICATE", master);
    }
    awaitAll(
        "know who is whose replica",
        seen -> seen.stream().filter(ClusterNode::isMaster).count() == MASTERS);
    for (RedisServer server : servers) {
      awaitState(server);
    }
    servers
        .subList(0, MASTERS)
        .forEach(master -> RedisSentinels.awaitReplicas(master, replicasEach));
  }

  private static String[] slots(int from, int end) {
    return Stream.concat(
            Stream.of("CLUSTER", "ADDSLOTS"),
            IntStream.range(from, end).mapToObj(Integer::toString))
        .toArray(String[]::new);
  }

  /** {@code scheme://[credentials@]node,node,...?topology=cluster}. */
  public String uri(String scheme) {
    return nodes.uri(scheme) + "?topology=cluster";
  }

  /** All nodes, in no order. */
  public List<RedisServer> nodes() {
    return nodes.servers();
  }

  /** The masters, by what the first living node says. */
  public List<RedisServer> masters() {
    return view().stream()
        .filter(node -> node.isMaster() && !node.slots().isEmpty())
        .map(node -> nodes.at(node.port()))
        .toList();
  }

  /** The slot of a key. */
  public int slotOf(String key) {
    return Integer.parseInt(living().command("CLUSTER", "KEYSLOT", key));
  }

  /** The master that serves a slot. */
  public RedisServer masterOf(int slot) {
    return view().stream()
        .filter(node -> node.isMaster() && node.serves(slot))
        .findFirst()
        .map(node -> nodes.at(node.port()))
        .orElseThrow(() -> new TestServerException("Nobody serves slot " + slot + "."));
  }

  /** Sends a command about one key to the master that has it. */
  public String commandOn(String key, String... arguments) {
    return masterOf(slotOf(key)).command(arguments);
  }

  /** Makes a replica of this master the master of its slots, without loss of data. */
  public void failOver(RedisServer master) {
    RedisServer replica = replicaOf(master)
        .orElseThrow(() -> new IllegalArgumentException(master + " has no replica."));
    replica.command("CLUSTER", "FAILOVER");
    awaitAll("know the new master", seen -> serves(seen, replica) && !serves(seen, master));
    awaitState(replica);
  }

  /** Kills a master and waits until one of its replicas has taken its place. */
  public void kill(RedisServer master) {
    nodeTimeout(HASTY);
    master.kill();
    awaitAll("know a successor", seen -> !serves(seen, master) && coversAll(seen));
    nodes.living().forEach(RedisCluster::awaitState);
    nodeTimeout(CALM);
  }

  /** Begins to move a slot: from now on its nodes answer ASK or TRYAGAIN for keys not there. */
  public void beginMigration(int slot, RedisServer target) {
    RedisServer source = masterOf(slot);
    String number = Integer.toString(slot);
    target.command("CLUSTER", "SETSLOT", number, "IMPORTING", ClusterNode.idOf(source));
    source.command("CLUSTER", "SETSLOT", number, "MIGRATING", ClusterNode.idOf(target));
  }

  /** Moves the keys of a slot and ends its migration: from now on the source answers MOVED. */
  public void finishMigration(int slot, RedisServer target) {
    RedisServer source = masterOf(slot);
    String number = Integer.toString(slot);
    String id = ClusterNode.idOf(target);
    // A key that is made in the meantime would be lost with the slot, so it is repeated.
    for (String keys = keysIn(source, number); !keys.isEmpty(); keys = keysIn(source, number)) {
      source.command(Stream.of(
              Stream.of("MIGRATE", target.host(), Integer.toString(target.port())),
              Stream.of("", "0", MIGRATION_LIMIT_MILLIS),
              Stream.of(credentials),
              Stream.of("KEYS"),
              keys.lines())
          .flatMap(words -> words)
          .toArray(String[]::new));
    }
    target.command("CLUSTER", "SETSLOT", number, "NODE", id);
    masters().forEach(node -> node.command("CLUSTER", "SETSLOT", number, "NODE", id));
    awaitAll("know the epoch of the new claim", seen -> knows(seen, target, slot));
  }

  /**
   * A node that took the slot back without having heard of the epoch under which the other one had
   * it would keep an older one, lose the slot to the late news, and delete its keys.
   */
  private static boolean knows(List<ClusterNode> seen, RedisServer owner, int slot) {
    long epoch = inView(ClusterNode.seenBy(owner), owner).epoch();
    ClusterNode known = inView(seen, owner);
    return known.serves(slot) && known.epoch() == epoch;
  }

  private static ClusterNode inView(List<ClusterNode> seen, RedisServer server) {
    return seen.stream()
        .filter(node -> node.port() == server.port())
        .findFirst()
        .orElseThrow(() -> new TestServerException(server + " is not known."));
  }

  private static String keysIn(RedisServer source, String slot) {
    return source.command("CLUSTER", "GETKEYSINSLOT", slot, "100");
  }

  /** A replica of this master, if there is one. */
  public Optional<RedisServer> replicaOf(RedisServer master) {
    String id = ClusterNode.idOf(master);
    return view().stream()
        .filter(node -> node.master().equals(id))
        .map(node -> nodes.at(node.port()))
        .filter(server -> server != master)
        .findFirst();
  }

  private static boolean serves(List<ClusterNode> seen, RedisServer server) {
    return seen.stream()
        .anyMatch(node ->
            node.port() == server.port() && node.isMaster() && !node.slots().isEmpty());
  }

  private static boolean coversAll(List<ClusterNode> seen) {
    return IntStream.range(0, SLOTS)
        .allMatch(slot -> seen.stream()
            .anyMatch(
                node -> node.isMaster() && !node.flags().contains("fail") && node.serves(slot)));
  }

  private RedisServer living() {
    return nodes.living().stream()
        .findFirst()
        .orElseThrow(() -> new TestServerException("No node of the cluster answers."));
  }

  private List<ClusterNode> view() {
    return ClusterNode.seenBy(living());
  }

  private void nodeTimeout(String millis) {
    nodes
        .living()
        .forEach(server -> server.command("CONFIG", "SET", "cluster-node-timeout", millis));
  }

  private static void awaitState(RedisServer server) {
    Readiness.await(
        "the cluster is well for " + server,
        () -> server.command("CLUSTER", "INFO").contains("cluster_state:ok"),
        () -> server.command("CLUSTER", "INFO") + server.command("CLUSTER", "NODES"));
  }

  /** Waits for what every living node sees. */
  private void awaitAll(String what, Predicate<List<ClusterNode>> condition) {
    Readiness.await(
        "the nodes " + what,
        () ->
            nodes.living().stream().allMatch(server -> condition.test(ClusterNode.seenBy(server))),
        () -> living().command("CLUSTER", "NODES"));
  }

  /** Ends all nodes. */
  @Override
  public void close() {
    nodes.close();
  }
}
