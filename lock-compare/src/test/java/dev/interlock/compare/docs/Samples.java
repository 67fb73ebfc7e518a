package dev.interlock.compare.docs;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedReadWriteLock;
import dev.interlock.DistributedSemaphore;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The samples of README.md and of the pages of lock-api and the providers. They only compile. */
@SuppressWarnings("UnusedMethod")
final class Samples {
  private final Thread worker = Thread.currentThread();
  private final Store store = (invoice, token) -> {};
  private final Object invoice = new Object();

  interface Store {
    void update(Object what, long token);
  }

  private void work() {}

  void readme() throws InterruptedException {
    try (LockClient locks = Locks.open("redis-setnx://localhost:6379")) {

      DistributedLock lock = locks.lock("invoice-4711"); // like java.util.concurrent.locks.Lock
      lock.lock(); // renewed until unlocked
      try {
        store.update(invoice, lock.lease().fencingToken()); // the store refuses smaller tokens
      } finally {
        lock.unlock();
      }

      try (Lease lease = locks.acquire(LockRequest.of("report").withWait(Duration.ofSeconds(5)))) {
        lease.lost().thenRun(worker::interrupt); // tells the truth about when it ends
        work();
        lease.ensureValid(); // before anything that cannot be undone
      }
    }
  }

  LockClient redis() {
    LockClient locks = Locks.open("redis-hash://user:secret@redis.example:6379/1?namespace=shop");
    return locks;
  }

  LockClient local() {
    LockClient locks = Locks.open("local://?namespace=shop");
    return locks;
  }

  void gettingStarted() throws InterruptedException {
    LockClient locks = Locks.open("redis-setnx://user:secret@redis.example:6379?lease=PT20S");

    DistributedLock lock = locks.lock("invoice-4711");
    if (lock.tryLock(2, TimeUnit.SECONDS)) {
      try {
        work();
      } finally {
        lock.unlock();
      }
    }

    LockRequest request = LockRequest.of("report").withWait(Duration.ofSeconds(5));
    try (Lease lease = locks.acquire(request)) {
      work();
      lease.ensureValid();
    }

    DistributedReadWriteLock catalogue = locks.readWriteLock("catalogue");
    catalogue.readLock().lock();
    try {
      work();
    } finally {
      catalogue.readLock().unlock();
    }

    DistributedSemaphore licences = locks.semaphore("licences", 4);
    try (Lease two = licences.acquire(2)) {
      work();
      two.ensureValid();
    }
  }

  void mysql() throws InterruptedException {
    try (LockClient locks = Locks.open("mysql://user:password@host/database?schema=create");
        Lease lease = locks.acquire(LockRequest.of("invoices"))) {
      lease.ensureValid();
    }
  }

  void postgres() throws InterruptedException {
    try (LockClient locks = Locks.open("postgres://user:password@host/database?schema=create");
        Lease lease = locks.acquire(LockRequest.of("invoices"))) {
      lease.ensureValid();
    }
  }
}
