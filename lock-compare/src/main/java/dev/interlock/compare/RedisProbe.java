package dev.interlock.compare;

import dev.interlock.testservers.RedisServer;
import java.util.List;
import java.util.Set;

/** Asks a Redis server over connections of its own. */
final class RedisProbe implements ServerProbe {
  private static final String COUNTER = "cmdstat_";

  /** What this probe sends itself. */
  private static final Set<String> OWN =
      Set.of("info", "auth", "select", "ping", "scan", "memory", "memory|usage");

  private final RedisServer server;
  private final String namespace;

  RedisProbe(RedisServer server, String namespace) {
    this.server = server;
    this.namespace = namespace;
  }

  @Override
  public long commands() {
    return server
        .command("INFO", "commandstats")
        .lines()
        .filter(line -> line.startsWith(COUNTER))
        .filter(line -> !OWN.contains(line.substring(COUNTER.length(), line.indexOf(':'))))
        .mapToLong(RedisProbe::calls)
        .sum();
  }

  private static long calls(String line) {
    String counts = line.substring(line.indexOf(':') + 1);
    return Long.parseLong(counts.substring("calls=".length(), counts.indexOf(',')));
  }

  @Override
  public Footprint footprint() {
    long entries = 0;
    long bytes = 0;
    String cursor = "0";
    do {
      List<String> answer = server
          .command("SCAN", cursor, "MATCH", "*" + namespace + "*", "COUNT", "1000")
          .lines()
          .toList();
      cursor = answer.get(0);
      for (String key : answer.subList(1, answer.size())) {
        if (!key.isEmpty()) {
          entries++;
          bytes += usage(key);
        }
      }
    } while (!cursor.equals("0"));
    return new Footprint(entries, bytes);
  }

  private long usage(String key) {
    String usage = server.command("MEMORY", "USAGE", key);
    // A key may expire between the two commands.
    return usage.matches("\\d+") ? Long.parseLong(usage) : 0;
  }
}
