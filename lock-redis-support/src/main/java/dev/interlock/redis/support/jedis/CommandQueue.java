package dev.interlock.redis.support.jedis;

import dev.interlock.redis.support.jedis.Connections.Use;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** Commands that nobody sends yet; those that help to free a lock come first. Thread-safe. */
final class CommandQueue {
  private final Queue<QueuedCommand> holders = new ConcurrentLinkedQueue<>();
  private final Queue<QueuedCommand> attempts = new ConcurrentLinkedQueue<>();

  void add(QueuedCommand command) {
    (command.use() == Use.HOLDER ? holders : attempts).add(command);
  }

  boolean isEmpty() {
    return holders.isEmpty() && attempts.isEmpty();
  }

  /** Makes the caller the sender of the next command; null if none waits. */
  @Nullable
  QueuedCommand take() {
    QueuedCommand next = poll();
    while (next != null && !next.take()) {
      next = poll(); // that one was withdrawn, or its own thread sends it
    }
    return next;
  }

  private @Nullable QueuedCommand poll() {
    QueuedCommand holder = holders.poll();
    return holder != null ? holder : attempts.poll();
  }
}
