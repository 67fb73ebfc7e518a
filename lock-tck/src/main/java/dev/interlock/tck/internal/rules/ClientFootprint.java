package dev.interlock.tck.internal.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The threads and TCP connections of a JVM, to compare before and after. */
public record ClientFootprint(Set<Long> threads, Set<String> sockets) {
  public static ClientFootprint now() {
    Set<Long> threads = Thread.getAllStackTraces().keySet().stream()
        .map(ClientFootprint::id)
        .collect(Collectors.toUnmodifiableSet());
    return new ClientFootprint(threads, TcpSockets.open());
  }

  /** What was compared, for findings. */
  public static String compared() {
    return TcpSockets.areSeen()
        ? "no thread and no connection"
        : "no thread (connections cannot be seen without /proc)";
  }

  /** Says what there is now that was not there then; empty if there is nothing. */
  public List<String> growth() {
    List<String> grown = new ArrayList<>();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      String name = thread.getName();
      // The JVM's own, which come and go as it likes.
      boolean shared = name.startsWith("ForkJoinPool.commonPool") || name.startsWith("tck-");
      if (thread.isAlive() && !shared && !threads.contains(id(thread))) {
        grown.add("thread " + name);
      }
    }
    int more = TcpSockets.countBeside(sockets);
    if (more > 0) {
      grown.add(more + " connections");
    }
    return grown;
  }

  // getId() is deprecated on the JDKs that have its successor threadId(); 17 has only this.
  @SuppressWarnings("deprecation")
  private static long id(Thread thread) {
    return thread.getId();
  }
}
