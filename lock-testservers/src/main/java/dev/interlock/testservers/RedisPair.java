package dev.interlock.testservers;

import dev.interlock.testservers.internal.control.FreePorts;
import dev.interlock.testservers.internal.control.Readiness;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Redis master and its replica, which nobody watches: whoever has them decides when the replica
 * takes over. Both are processes on this machine. Thread-safe; methods block until the servers have
 * done it, for 60 s at most, and throw {@link TestServerException} if they do not.
 */
public final class RedisPair implements AutoCloseable {
  private static final Pattern SENT = Pattern.compile("master_repl_offset:(\\d+)");
  private static final Pattern RECEIVED = Pattern.compile("slave_repl_offset:(\\d+)");

  private final RedisNodes nodes;

  private RedisPair(RedisNodes nodes) {
    this.nodes = nodes;
  }

  /** Starts both, and waits until the replica follows. */
  static RedisPair start() {
    int port = FreePorts.next();
    RedisPair pair = new RedisPair(RedisNodes.start(
        List.of(builder().onPort(port), builder().config("replicaof", "127.0.0.1", "" + port))));
    try {
      Readiness.await(
          "the replica follows",
          () -> replication(pair.replica()).contains("master_link_status:up"),
          () -> replication(pair.replica()));
      return pair;
    } catch (RuntimeException e) {
      pair.close();
      throw e;
    }
  }

  private static RedisServerBuilder builder() {
    return TestRedis.builder().asProcess().config("repl-diskless-sync-delay", "0");
  }

  /** The server that takes writes, until it is killed. */
  public RedisServer master() {
    return nodes.servers().get(0);
  }

  /** The server that takes its place. */
  public RedisServer replica() {
    return nodes.servers().get(1);
  }

  /** Waits until the replica has all that the master has taken until now. */
  public void awaitReplicated() {
    long sent = offset(master(), SENT);
    Readiness.await(
        "the replica has what was sent to it",
        () -> offset(replica(), RECEIVED) >= sent,
        () -> replication(replica()));
  }

  /** Lets the replica take writes. From now on it receives nothing more from the master. */
  public void promote() {
    replica().command("REPLICAOF", "NO", "ONE");
  }

  private static String replication(RedisServer server) {
    return server.command("INFO", "replication");
  }

  private static long offset(RedisServer server, Pattern field) {
    Matcher found = field.matcher(replication(server));
    return found.find() ? Long.parseLong(found.group(1)) : -1;
  }

  /** Ends both. */
  @Override
  public void close() {
    nodes.close();
  }
}
