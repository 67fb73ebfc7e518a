package dev.interlock.redis.support.contract;

import dev.interlock.HostPort;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Names the master that a test wants. */
public final class FakeSentinel implements AutoCloseable {
  public static final String NAME = "the-master";

  public final AtomicInteger asked = new AtomicInteger();
  public final AtomicInteger subscribers = new AtomicInteger();
  private final FakeRedis server;
  private volatile HostPort master;
  private volatile boolean slow;

  public FakeSentinel(HostPort master) throws IOException {
    this.master = master;
    this.server = new FakeRedis(this::answer);
  }

  public HostPort host() {
    return server.host();
  }

  public void name(HostPort named) {
    master = named;
  }

  /** Tells of the new master, and names it from then on. */
  public void announce(HostPort next) {
    String news = String.join(" ", NAME, master.host(), port(master), next.host(), port(next));
    master = next;
    server.push(list("message", "+switch-master", news));
  }

  /** Takes its time to let a connection in. */
  public void slowDown() {
    slow = true;
  }

  public int connections() {
    return server.connections();
  }

  /** What listens connects again. */
  public void cut() throws IOException {
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
        HostPort named = master;
        return list(named.host(), port(named));
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

  private static String port(HostPort address) {
    return Integer.toString(address.port().orElseThrow());
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
