package dev.interlock.redis.support.jedis;

import dev.interlock.BackendUnavailableException;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.LockScan;
import dev.interlock.redis.support.jedis.Connections.Use;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.Protocol.Keyword;

/** Goes through the keys of servers with Jedis. Thread-safe. */
public final class ScannedServers implements LockScan.Scanned {
  private static final String ACTION = "list locks";

  private final Servers servers;
  private final LockKeys none;

  /**
   * Makes them.
   *
   * @param servers that have locks
   * @param layout where locks are kept
   */
  public ScannedServers(Servers servers, KeyLayout layout) {
    this.servers = servers;
    this.none = layout.keys("");
  }

  @Override
  public SortedSet<String> servers() {
    return servers.all().stream()
        .map(server -> server.calls().address())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Override
  public LockScan.Step scan(String address, byte[] cursor, byte[] pattern, int count) {
    Server server = servers.all().stream()
        .filter(each -> each.calls().address().equals(address))
        .findFirst()
        .orElseThrow(() -> new BackendUnavailableException(
            "Redis at " + address + " has no locks any more, so it was not asked to " + ACTION));
    CommandArguments scan = new CommandArguments(Command.SCAN)
        .add(cursor)
        .add(Keyword.MATCH)
        .add(pattern)
        .add(Keyword.COUNT)
        .add(count);
    return server.calls().on(Use.HOLDER, ACTION, none, connection -> {
      connection.sendCommand(scan);
      return step((List<?>) connection.getOne());
    });
  }

  private static LockScan.Step step(List<?> answer) {
    List<byte[]> keys =
        ((List<?>) answer.get(1)).stream().map(key -> (byte[]) key).toList();
    return new LockScan.Step((byte[]) answer.get(0), keys);
  }
}
