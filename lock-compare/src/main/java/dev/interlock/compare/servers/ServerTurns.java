package dev.interlock.compare.servers;

import dev.interlock.LockException;
import dev.interlock.measure.server.ServerKind;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Locks that are looked at side by side, each on a server of its own as a rule. Those that share a
 * server take turns on it, for the one would meet the faults of the other. Thread-safe.
 */
public final class ServerTurns {
  private static final String PORT = ":\\d+$";

  private final Map<String, ReentrantLock> servers = new ConcurrentHashMap<>();

  /** The hosts of a backend with their ports, as {@link #await} takes them. */
  public static String address(Backend backend, String id) {
    List<String> members = LockUris.members(backend.uri());
    return members.isEmpty()
        ? address(backend.uri(), id)
        : members.stream()
            .map(member -> address(member, LockUris.scheme(member).orElse(id)))
            .collect(Collectors.joining(","));
  }

  private static String address(String uri, String id) {
    String port = Stream.of(ServerKind.values())
        .filter(kind -> id.contains(kind.scheme()))
        .map(kind -> ":" + kind.port())
        .findFirst()
        .orElse("");
    return LockUris.hosts(uri)
        .map(hosts -> Stream.of(hosts.split(","))
            .map(host -> host.matches(".*" + PORT) ? host : host + port)
            .collect(Collectors.joining(",")))
        .orElse(id);
  }

  /**
   * Blocks until nobody else uses any of the servers, however they are named.
   *
   * @param address hosts with their ports and commas between them
   * @return ends the turn; called by the same thread
   * @throws LockException if the thread is interrupted, which it stays
   */
  public Runnable await(String address) {
    Deque<ReentrantLock> taken = new ArrayDeque<>();
    // In the same order for all, so that nobody waits for one who waits for him.
    TreeSet<String> named = Stream.of(address.split(","))
        .map(ServerTurns::server)
        .collect(Collectors.toCollection(TreeSet::new));
    for (String server : named) {
      ReentrantLock turn = servers.computeIfAbsent(server, key -> new ReentrantLock(true));
      try {
        turn.lockInterruptibly();
      } catch (InterruptedException e) {
        taken.forEach(ReentrantLock::unlock);
        Thread.currentThread().interrupt();
        throw new LockException("The comparison was interrupted.", e);
      }
      taken.push(turn);
    }
    return () -> taken.forEach(ReentrantLock::unlock);
  }

  /** The same for all names of a server. */
  private static String server(String hostAndPort) {
    String host = hostAndPort.replaceFirst(PORT, "");
    String port = hostAndPort.substring(host.length());
    try {
      InetAddress address = InetAddress.getByName(host.replaceAll("[\\[\\]]", ""));
      boolean here =
          address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
      return (here ? "this machine" : address.getHostAddress()) + port;
    } catch (UnknownHostException | SocketException e) {
      return hostAndPort.toLowerCase(Locale.ROOT);
    }
  }
}
