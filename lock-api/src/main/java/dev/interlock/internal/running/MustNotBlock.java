package dev.interlock.internal.running;

/**
 * Marks work on a thread for which others wait: the timer's, a renewal's, one of the backend that
 * brings an event. What may block is put off there to a thread of its own.
 */
public final class MustNotBlock {
  private static final ThreadLocal<Boolean> HERE = new ThreadLocal<>();

  private MustNotBlock() {}

  public static boolean here() {
    return HERE.get() != null;
  }

  public static void run(Runnable task) {
    if (here()) {
      task.run();
      return;
    }
    HERE.set(true);
    try {
      task.run();
    } finally {
      HERE.remove();
    }
  }
}
