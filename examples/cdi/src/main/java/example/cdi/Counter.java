package example.cdi;

import jakarta.enterprise.context.ApplicationScoped;

/** Counts without losing a step. */
@ApplicationScoped
class Counter {
  /** Stands for something that all instances share, and that guards itself against nothing. */
  static volatile int count;

  @Locked("counter")
  void step() {
    int read = count;
    Thread.yield();
    count = read + 1;
  }
}
