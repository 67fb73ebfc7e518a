package dev.interlock.tck.teststore;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Who is connected, for a store that ends what a client holds some time after it has left. */
final class Sessions {
  private final long longestAbsence;
  private final Map<String, Integer> connections = new HashMap<>();
  private final Map<String, Long> leftAt = new HashMap<>();

  Sessions(Fault fault) {
    longestAbsence = TimeUnit.SECONDS.toNanos(fault == Fault.SESSIONS_END_LATE ? 10 : 4);
  }

  void joined(String client) {
    connections.merge(client, 1, Integer::sum);
    leftAt.remove(client);
  }

  void left(String client) {
    if (connections.merge(client, -1, Integer::sum) <= 0) {
      connections.remove(client);
      leftAt.put(client, System.nanoTime());
    }
  }

  boolean isOver(String client, long now) {
    Long left = leftAt.get(client);
    return left != null && now - left > longestAbsence;
  }
}
