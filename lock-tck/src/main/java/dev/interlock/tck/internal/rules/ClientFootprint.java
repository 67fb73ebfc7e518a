package dev.interlock.tck.internal.rules;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The threads and TCP connections of a JVM, to compare before and after. */
public record ClientFootprint(Set<Long> threads, Set<String> sockets) implements Serializable {
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
    newThreads().forEach(thread -> grown.add("thread " + thread.getName()));
    int more = TcpSockets.countBeside(sockets);
    if (more > 0) {
      grown.add(more + " connections");
    }
    return grown;
  }

  /** Counts what there is now that was not there then. */
  public int countGrowth() {
    return newThreads().size() + TcpSockets.countBeside(sockets);
  }

  private List<Thread> newThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.isAlive() && !threads.contains(id(thread)))
        .filter(thread -> !isOfTheJvm(thread.getName()))
        .toList();
  }

  /** The JVM's own, which come and go as it likes, and the kit's. */
  private static boolean isOfTheJvm(String thread) {
    return thread.startsWith("ForkJoinPool.commonPool") || thread.startsWith("tck-");
  }

  // getId() is deprecated on the JDKs that have its successor threadId(); 17 has only this.
  @SuppressWarnings("deprecation")
  private static long id(Thread thread) {
    return thread.getId();
  }
}
