package dev.interlock.redis.support.jedis;

import dev.interlock.HostPort;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import redis.clients.jedis.HostAndPort;

/** Names the master that a test wants. */
final class FakeSentinel implements AutoCloseable {
  static final String NAME = "the-master";

  final AtomicInteger asked = new AtomicInteger();
  final AtomicInteger subscribers = new AtomicInteger();
  private final FakeRedis server;
  private volatile HostAndPort master;
  private volatile boolean slow;

  FakeSentinel(HostAndPort master) throws IOException {
    this.master = master;
    this.server = new FakeRedis(this::answer);
  }

  HostPort host() {
    return server.host();
  }

  void name(HostAndPort named) {
    master = named;
  }

  /** Tells of the new master, and names it from then on. */
  void announce(HostAndPort next) {
    String news = String.join(
        " ",
        NAME,
        master.getHost(),
        Integer.toString(master.getPort()),
        next.getHost(),
        Integer.toString(next.getPort()));
    master = next;
    server.push(list("message", "+switch-master", news));
  }

  /** Takes its time to let a connection in. */
  void slowDown() {
    slow = true;
  }

  int connections() {
    return server.connections();
  }

  /** What listens connects again. */
  void cut() throws IOException {
    server.cut();
  }

  @Override
  public void close() throws IOException {
    server.close();
  }

  private String answer(List<String> command) {
    switch (command.get(0).toUpperCase(Locale.ROOT)) {
      case "SENTINEL" -> {
        asked.incrementAndGet();
        HostAndPort named = master;
        return list(named.getHost(), Integer.toString(named.getPort()));
      }
      case "SUBSCRIBE" -> {
        subscribers.incrementAndGet();
        return "*3\r\n" + word("subscribe") + word(command.get(1)) + ":1\r\n";
      }
      default -> {
        if (slow) {
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300));
        }
        return "+OK\r\n";
      }
    }
  }

  private static String list(String... words) {
    StringBuilder list = new StringBuilder("*" + words.length + "\r\n");
    for (String word : words) {
      list.append(word(word));
    }
    return list.toString();
  }

  private static String word(String word) {
    return "$" + word.length() + "\r\n" + word + "\r\n";
  }
}
