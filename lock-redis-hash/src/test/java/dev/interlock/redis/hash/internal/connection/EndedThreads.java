package dev.interlock.redis.hash.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;

/** The threads that come with a client, which must go with it. */
final class EndedThreads {
  private final Set<Thread> before = Thread.getAllStackTraces().keySet();

  /** Checks that none is left of those that have come since this object was made. */
  void check() throws InterruptedException {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (!before.contains(thread) && thread.getName().matches("(?i)(interlock|lettuce).*")) {
        thread.join(5_000);
        assertThat(thread.isAlive()).as(thread.getName()).isFalse();
      }
    }
  }
}
