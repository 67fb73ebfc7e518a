package dev.interlock.testservers.internal.redis;

import dev.interlock.testservers.TestServerException;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Makes the server refuse transactions of clients: it listens to what the server is told (MONITOR),
 * and changes a key just after a client began to watch it. The key is moved away and back in one
 * transaction, so it keeps its value and its expiry, and one that is absent stays absent.
 *
 * <p>The client runs on meanwhile, and its EXEC may come first: then nothing happens. What counts
 * is what the server did in the end, in its own order. Thread-safe.
 */
public final class TransactionAborts {
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final long IDLE_NANOS = Duration.ofSeconds(1).toNanos();

  /** Time, database and address of the client, command, and the key where it is a plain word. */
  private static final Pattern LINE =
      Pattern.compile("\\S+ \\[\\d+ (\\S+)] \"(\\w+)\"(?: \"([^\"\\\\]*)\")?.*");

  private final RedisEndpoint endpoint;
  private final AtomicInteger left = new AtomicInteger();
  private final AtomicInteger done = new AtomicInteger();
  private long orderedAt;
  private boolean running;

  public TransactionAborts(RedisEndpoint endpoint) {
    this.endpoint = endpoint;
  }

  /**
   * Tries to have the next transactions refused, in place of what was left of the last order.
   *
   * @param transactions how many, at most
   * @return how many were refused since the last order
   */
  public synchronized int order(int transactions) {
    orderedAt = System.nanoTime();
    left.set(transactions);
    if (!running) {
      start();
    }
    return done.getAndSet(0);
  }

  private void start() {
    try {
      RedisConnection monitor = RedisConnection.open(endpoint, LIMIT);
      try {
        monitor.call("MONITOR");
        RedisConnection hand = RedisConnection.open(endpoint, LIMIT);
        Thread thread = new Thread(() -> run(monitor, hand), "redis-transaction-aborts");
        thread.setDaemon(true);
        thread.start();
        running = true;
      } catch (IOException | RuntimeException e) {
        monitor.close();
        throw e;
      }
    } catch (IOException e) {
      throw new TestServerException("MONITOR was not answered by " + endpoint, e);
    }
  }

  private void run(RedisConnection monitor, RedisConnection hand) {
    try (monitor;
        hand) {
      Watchers watchers = new Watchers(hand);
      while (isWanted()) {
        Matcher line = LINE.matcher(monitor.next());
        if (line.matches()) {
          String command = line.group(2).toUpperCase(Locale.ROOT);
          watchers.heard(line.group(1), command, line.group(3));
        }
      }
    } catch (IOException e) {
      failed(); // the server is silent or gone
    }
  }

  /** Whether to go on. After a "no" the next order starts another thread. */
  private synchronized boolean isWanted() {
    running = System.nanoTime() - orderedAt < IDLE_NANOS;
    return running;
  }

  private synchronized void failed() {
    running = false;
  }

  /** Who watches what, and whose transaction will be refused. Used by one thread. */
  private final class Watchers {
    private final RedisConnection hand;
    private final Map<String, String> keys = new HashMap<>();
    private final Set<String> refused = new HashSet<>();

    Watchers(RedisConnection hand) {
      this.hand = hand;
    }

    void heard(String client, String command, @Nullable String key) throws IOException {
      // A refused EXEC is not told by all versions, but the client's next command is.
      if (!command.equals("MULTI") && refused.remove(client) && !command.equals("UNWATCH")) {
        done.incrementAndGet();
      }
      switch (command) {
        case "WATCH" -> {
          if (key != null) {
            keys.put(client, key);
            if (left.getAndUpdate(most -> Math.max(0, most - 1)) > 0) {
              change(key);
            }
          }
        }
        case "RENAME" ->
          keys.entrySet()
              .removeIf(watched -> watched.getValue().equals(key) && refused.add(watched.getKey()));
        case "EXEC", "UNWATCH" -> keys.remove(client);
        default -> {}
      }
    }

    private void change(String key) throws IOException {
      String aside = key + ":aside";
      hand.callAll(List.of(
          List.of("MULTI"),
          List.of("RENAME", key, aside), // an error if it is absent, which ends nothing
          List.of("SET", key, "-"),
          List.of("DEL", key),
          List.of("RENAME", aside, key),
          List.of("EXEC")));
    }
  }
}
