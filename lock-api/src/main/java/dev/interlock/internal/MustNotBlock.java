package dev.interlock.internal;

/**
 * Marks work on a thread for which others wait: the timer's, a renewal's, one of the backend that
 * brings an event. What may block is put off there to a thread of its own.
 */
final class MustNotBlock {
  private static final ThreadLocal<Boolean> HERE = new ThreadLocal<>();

  private MustNotBlock() {}

  static boolean here() {
    return HERE.get() != null;
  }

  static void run(Runnable task) {
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
