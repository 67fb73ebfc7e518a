package dev.interlock.redis.support.jedis;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.redis.support.BackgroundLook;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.RedisOptions;
import dev.interlock.redis.support.jedis.Connections.Use;
import dev.interlock.spi.ClientId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisAskDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisRedirectionException;
import redis.clients.jedis.providers.ClusterConnectionProvider;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * The masters of a cluster. Jedis keeps the map of the slots; each master has connections of its
 * own here, so that one that is silent takes none from the others.
 */
final class ClusterServers implements Servers {
  /** A command that is sent on more often than this goes in circles. */
  private static final int MOST_HOPS = 5;

  /** Failures of many threads lead to one look at the map. */
  private static final Duration LOOK_PAUSE = Duration.ofMillis(100);

  private final LockConfig config;
  private final ClientId client;
  private final ClusterConnectionProvider map;
  private final ConcurrentHashMap<HostAndPort, Server> servers = new ConcurrentHashMap<>();
  private final BackgroundLook looks = new BackgroundLook("interlock-cluster-map", LOOK_PAUSE);
  private final AtomicInteger turns = new AtomicInteger();
  private volatile Runnable changed = () -> {};
  private volatile boolean closed;

  private ClusterServers(LockConfig config, ClientId client, ClusterConnectionProvider map) {
    this.config = config;
    this.client = client;
    this.map = map;
  }

  /**
   * Asks the nodes for the map of the slots.
   *
   * @throws LockConfigurationException if it is no cluster
   * @throws BackendUnavailableException if none of them tells
   */
  static ClusterServers open(LockConfig config, ClientId client) {
    Set<HostAndPort> nodes = new LinkedHashSet<>(OwnConnections.hosts(config));
    try {
      ClusterServers servers = new ClusterServers(
          config,
          client,
          new ClusterConnectionProvider(
              nodes, ConnectionSettings.ofServers(config, client), ConnectionSettings.ofPools()));
      servers.follow();
      return servers;
    } catch (JedisException e) {
      String address = RedisOptions.address(config);
      if (Faults.reason(e).contains("cluster support disabled")) {
        throw new LockConfigurationException(
            "Redis at " + address + " is not a cluster: leave out topology=cluster", e);
      }
      throw Faults.connecting(address, e);
    }
  }

  @Override
  public Target of(LockKeys keys) {
    HostAndPort master = map.getNode(group(keys));
    if (master == null) {
      look(() -> lookThroughOthers(null));
      throw new BackendUnavailableException(
          "No node of the cluster at " + address() + " serves slot " + group(keys) + " now");
    }
    return server(master).target();
  }

  @Override
  public Target after(LockKeys keys, Target target, LockException failure) {
    boolean mayHop = target.hops() < MOST_HOPS;
    if (mayHop && failure.getCause() instanceof JedisRedirectionException elsewhere) {
      Server next = server(elsewhere.getTargetNode());
      boolean asking = elsewhere instanceof JedisAskDataException;
      if (!asking) {
        // For the next command: where to send this one is known.
        look(() -> lookThrough(next) || lookThroughOthers(next));
      }
      return new Target(next, asking, target.hops() + 1);
    }
    if (failure instanceof BackendUnavailableException && !target.asking()) {
      look(() -> lookThroughOthers(target.server()));
      awaitLook();
      Server now = of(keys).server();
      if (mayHop && now != target.server()) { // a replica has taken its place
        return new Target(now, false, target.hops() + 1);
      }
    } else if (failure instanceof OutcomeUnknownException) {
      // For the next command: whether this one has run must be told.
      look(() -> lookThroughOthers(target.server()));
    }
    throw failure;
  }

  /** The slot: a command must not use keys of several. */
  @Override
  public int group(LockKeys keys) {
    return JedisClusterCRC16.getSlot(keys.token());
  }

  @Override
  public Collection<Server> all() {
    return servers.values();
  }

  @Override
  public void onChange(Runnable listener) {
    changed = listener;
  }

  @Override
  public String address() {
    return RedisOptions.address(config);
  }

  @Override
  public void close() {
    closed = true;
    looks.close();
    map.close();
    servers.values().forEach(Server::close);
  }

  private Server server(HostAndPort node) {
    Server known = servers.get(node);
    if (known == null) {
      known = servers.computeIfAbsent(node, this::connected);
      if (closed) {
        known.close(); // close() may have looked before it was there
      }
    }
    return known;
  }

  private Server connected(HostAndPort node) {
    return new Server(OwnConnections.to(node, config, client), config.get(JedisOptions.TIMEOUT));
  }

  /**
   * Learns where the slots are, from the servers that the attempt asks, or else from any node. In
   * the background: one is asked after the other, and each that is silent takes the whole time
   * limit.
   */
  private void look(BooleanSupplier attempt) {
    looks.begin(() -> {
      if (closed) {
        return;
      }
      try {
        if (!attempt.getAsBoolean()) {
          map.renewSlotCache();
        }
      } finally {
        if (closed) {
          map.close(); // close() knew nothing of the pools that Jedis has made since
        }
      }
      if (!closed) {
        follow();
      }
    });
  }

  private void awaitLook() {
    looks.await(config.get(JedisOptions.TIMEOUT));
  }

  /**
   * Not through the one that failed: one that is cut off from the cluster answers, and knows of
   * nothing new, and so do those that are cut off with it. So each time another one is first. Jedis
   * would ask the nodes of the URI in their order, and believe the first.
   */
  private boolean lookThroughOthers(@Nullable Server failed) {
    List<Server> others = new ArrayList<>(servers.values());
    others.removeIf(server -> server == failed);
    Collections.rotate(others, turns.getAndIncrement());
    return others.stream().anyMatch(this::lookThrough);
  }

  /** Answers whether this server answered. */
  private boolean lookThrough(Server informed) {
    Connection connection;
    try {
      connection = informed.connections().borrow(Use.HOLDER);
    } catch (BackendUnavailableException e) {
      return false;
    }
    boolean answered;
    try {
      map.renewSlotCache(connection); // asks other nodes if this one does not answer
      answered = !connection.isBroken();
    } finally {
      informed.connections().giveBack(Use.HOLDER, connection, true);
    }
    return answered;
  }

  /** By the slots: what Jedis 7.0 knows as primary nodes stays what it met when it connected. */
  private Set<HostAndPort> masters() {
    return IntStream.range(0, Protocol.CLUSTER_HASHSLOTS)
        .mapToObj(map::getNode)
        .filter(Objects::nonNull)
        .collect(Collectors.toSet());
  }

  /** Has a server for every master, and none for those that are no master any more. */
  private void follow() {
    Set<HostAndPort> masters = masters();
    masters.forEach(this::server);
    servers.forEach((node, server) -> {
      if (!masters.contains(node) && servers.remove(node, server)) {
        server.close();
      }
    });
    changed.run();
  }
}
