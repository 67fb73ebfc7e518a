package dev.interlock.redis.support.jedis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisClusterOperationException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Which master of a cluster has which slots, as one node sees it. Not the map of Jedis: that one
 * keeps to what it knew for as long as any slot has no owner, also where the others are served.
 * Immutable.
 */
final class SlotMap {
  private static final int MASTER = 2;

  private final @Nullable HostAndPort[] masters = new HostAndPort[Protocol.CLUSTER_HASHSLOTS];

  private SlotMap(HostAndPort informed, List<?> ranges) {
    for (Object each : ranges) {
      List<?> range = Objects.requireNonNull((List<?>) each);
      HostAndPort master = node((List<?>) range.get(MASTER), informed);
      Arrays.fill(masters, number(range.get(0)), number(range.get(1)) + 1, master);
    }
  }

  private static HostAndPort node(List<?> node, HostAndPort informed) {
    byte[] host = (byte[]) node.get(0);
    return new HostAndPort(
        host == null || host.length == 0 ? informed.getHost() : new String(host, UTF_8),
        number(node.get(1)));
  }

  private static int number(Object answer) {
    return Math.toIntExact((Long) answer);
  }

  /**
   * Asks nodes one after the other, each for a bounded time, until one knows of an owner of every
   * slot.
   *
   * @param nodes at least one
   * @param settings how to connect to them
   * @return what that one knows; or, if none knows so much, what the one does that knows most
   * @throws JedisException what came of the first, if none knows of any slot
   */
  static SlotMap ask(List<HostAndPort> nodes, JedisClientConfig settings) {
    SlotMap most = null;
    JedisException failure = null;
    for (HostAndPort node : nodes) {
      try {
        SlotMap seen = ask(node, settings);
        if (most == null || seen.size() > most.size()) {
          most = seen;
        }
        if (seen.size() == Protocol.CLUSTER_HASHSLOTS) {
          return seen;
        }
      } catch (JedisException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (most == null) {
      throw Objects.requireNonNull(failure, "no node to ask");
    }
    return most;
  }

  private static SlotMap ask(HostAndPort node, JedisClientConfig settings) {
    try (Connection connection = new Connection(node, settings)) {
      CommandArguments question = new CommandArguments(Command.CLUSTER).add("SLOTS");
      SlotMap seen = new SlotMap(node, (List<?>) connection.executeCommand(question));
      if (seen.size() == 0) {
        throw new JedisClusterOperationException("no slot has an owner");
      }
      return seen;
    }
  }

  private long size() {
    return Arrays.stream(masters).filter(Objects::nonNull).count();
  }

  /** Null if nobody has the slot. */
  @Nullable
  HostAndPort master(int slot) {
    return masters[slot];
  }

  /** All that have slots. */
  Set<HostAndPort> masters() {
    return Arrays.stream(masters).filter(Objects::nonNull).collect(Collectors.toSet());
  }
}
