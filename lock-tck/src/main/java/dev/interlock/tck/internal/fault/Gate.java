package dev.interlock.tck.internal.fault;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Stops one direction of traffic while it is shut; what was sent meanwhile goes on afterwards. */
final class Gate {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition opened = lock.newCondition();
  private boolean shut;

  void set(boolean toShut) {
    lock.lock();
    try {
      shut = toShut;
      opened.signalAll();
    } finally {
      lock.unlock();
    }
  }

  void pass() {
    lock.lock();
    try {
      while (shut) {
        opened.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }
}
