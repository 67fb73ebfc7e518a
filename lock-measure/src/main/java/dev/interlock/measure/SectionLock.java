package dev.interlock.measure;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import java.util.Objects;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A lock as one thread at a time uses it, around its sections. Not thread-safe. */
public interface SectionLock {

  /** Waits, without limit, until this thread holds the lock. */
  void lock() throws InterruptedException;

  /** Gives it back. */
  void unlock();

  /**
   * For locks that nobody wakes: asks again every millisecond until the answer is yes.
   *
   * @param attempt takes the lock, if it is free
   */
  static void poll(BooleanSupplier attempt) throws InterruptedException {
    while (!attempt.getAsBoolean()) {
      LockSupport.parkNanos(1_000_000);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }

  /** A lock that is owned by threads. */
  static SectionLock of(Lock lock) {
    return new SectionLock() {
      @Override
      @SuppressWarnings("LockNotBeforeTry") // The section is the caller's.
      public void lock() {
        lock.lock();
      }

      @Override
      public void unlock() {
        lock.unlock();
      }
    };
  }

  /** A lock of Interlock's, held by leases of the request. */
  static SectionLock of(LockClient client, LockRequest request) {
    return new SectionLock() {
      private @Nullable Lease lease;

      @Override
      public void lock() throws InterruptedException {
        lease = client.acquire(request);
      }

      @Override
      public void unlock() {
        Objects.requireNonNull(lease).release();
      }
    };
  }
}
