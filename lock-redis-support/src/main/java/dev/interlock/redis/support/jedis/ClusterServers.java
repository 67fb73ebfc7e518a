package dev.interlock.redis.support.jedis;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.redis.support.BackgroundLook;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.RedisOptions;
import dev.interlock.spi.ClientId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisAskDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisRedirectionException;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * The masters of a cluster. Each has connections of its own, so that one that is silent takes none
 * from the others.
 */
final class ClusterServers implements Servers {
  /** A command that is sent on more often than this goes in circles. */
  private static final int MOST_HOPS = 5;

  /** Failures of many threads lead to one look at the map. */
  private static final Duration LOOK_PAUSE = Duration.ofMillis(100);

  private final LockConfig config;
  private final ClientId client;
  private final ConcurrentHashMap<HostAndPort, Server> servers = new ConcurrentHashMap<>();
  private final BackgroundLook looks = new BackgroundLook("interlock-cluster-map", LOOK_PAUSE);
  private final AtomicInteger turns = new AtomicInteger();
  private volatile SlotMap map;
  private volatile Runnable changed = () -> {};
  private volatile boolean closed;

  private ClusterServers(LockConfig config, ClientId client) {
    this.config = config;
    this.client = client;
    this.map = ask(OwnConnections.hosts(config));
  }

  /**
   * Asks the nodes for the map of the slots.
   *
   * @throws LockConfigurationException if it is no cluster
   * @throws BackendUnavailableException if none of them tells
   */
  static ClusterServers open(LockConfig config, ClientId client) {
    try {
      ClusterServers servers = new ClusterServers(config, client);
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
    HostAndPort master = map.master(group(keys));
    if (master == null) {
      look(null, null);
      throw new BackendUnavailableException(
          "No node of the cluster at " + address() + " serves slot " + group(keys) + " now");
    }
    return server(master).target();
  }

  @Override
  public Target after(LockKeys keys, Target target, LockException failure) {
    boolean mayHop = target.hops() < MOST_HOPS;
    if (mayHop && failure.getCause() instanceof JedisRedirectionException elsewhere) {
      HostAndPort next = named(elsewhere.getTargetNode(), target);
      boolean asking = elsewhere instanceof JedisAskDataException;
      if (!asking) {
        // For the next command: where to send this one is known.
        look(next, null);
      }
      return new Target(server(next), asking, target.hops() + 1);
    }
    if (failure instanceof BackendUnavailableException && !target.asking()) {
      look(null, target.server());
      looks.await(config.get(JedisOptions.TIMEOUT));
      Server now = of(keys).server();
      if (mayHop && now != target.server()) { // a replica has taken its place
        return new Target(now, false, target.hops() + 1);
      }
    } else if (failure instanceof OutcomeUnknownException) {
      // For the next command: whether this one has run must be told.
      look(null, target.server());
    }
    throw failure;
  }

  /**
   * A node that does not know its cluster's hosts names none: then it is the one that was asked.
   */
  private static HostAndPort named(HostAndPort node, Target asked) {
    return node.getHost().isEmpty()
        ? new HostAndPort(
            HostAndPort.from(asked.server().calls().address()).getHost(), node.getPort())
        : node;
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
   * Learns where the slots are. In the background: one node is asked after the other, and each that
   * is silent takes the whole time limit.
   *
   * @param informed is asked first
   * @param failed is asked only if it is one of the URI and none of the others knows all
   */
  private void look(@Nullable HostAndPort informed, @Nullable Server failed) {
    looks.begin(() -> {
      if (!closed) {
        map = ask(nodes(informed, failed));
      }
      if (!closed) {
        follow();
      }
    });
  }

  private SlotMap ask(List<HostAndPort> nodes) {
    return SlotMap.ask(nodes, ConnectionSettings.ofServers(config, client));
  }

  /**
   * Not the one that failed: one that is cut off from the cluster answers, and knows of nothing
   * new, and so do those that are cut off with it. So each time another one is first.
   */
  private List<HostAndPort> nodes(@Nullable HostAndPort informed, @Nullable Server failed) {
    List<HostAndPort> others = new ArrayList<>();
    servers.forEach((node, server) -> {
      if (server != failed) {
        others.add(node);
      }
    });
    Collections.rotate(others, turns.getAndIncrement());
    Set<HostAndPort> nodes = new LinkedHashSet<>();
    if (informed != null) {
      nodes.add(informed);
    }
    nodes.addAll(others);
    nodes.addAll(OwnConnections.hosts(config));
    return List.copyOf(nodes);
  }

  /** Has a server for every master, and none for those that are no master any more. */
  private void follow() {
    Set<HostAndPort> masters = map.masters();
    masters.forEach(this::server);
    servers.forEach((node, server) -> {
      if (!masters.contains(node) && servers.remove(node, server)) {
        server.close();
      }
    });
    changed.run();
  }
}
