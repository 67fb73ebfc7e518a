package dev.interlock.contract;

import dev.interlock.DistributedLock;
import dev.interlock.LockClient;
import dev.interlock.Locks;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Two clients of one provider, and threads that use a lock which no other test uses. */
final class Company implements AutoCloseable {
  private static final AtomicInteger NAMES = new AtomicInteger();
  private static final long LIMIT = TimeUnit.SECONDS.toNanos(20);

  private final LockClient here;
  private final LockClient elsewhere;
  private final String name = "contract-" + NAMES.incrementAndGet() + "-" + System.nanoTime();
  private final List<Person<?>> people = new ArrayList<>();

  Company(String uri) {
    here = Locks.open(uri);
    elsewhere = Locks.open(uri);
  }

  /** A thread with something to do. */
  static final class Person<T> {
    private final FutureTask<T> work;
    private final Thread thread;

    private Person(Callable<T> body) {
      work = new FutureTask<>(body);
      thread = new Thread(work, "contract");
      thread.setDaemon(true);
      thread.start();
    }

    void interrupt() {
      thread.interrupt();
    }

    boolean isDone() {
      return work.isDone();
    }

    boolean isParked() {
      Thread.State state = thread.getState();
      return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
    }

    /** What came of it. */
    T result() throws Exception {
      try {
        return work.get(LIMIT, TimeUnit.NANOSECONDS);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof Exception cause) {
          throw cause;
        }
        throw e;
      }
    }
  }

  LockClient here() {
    return here;
  }

  LockClient elsewhere() {
    return elsewhere;
  }

  String name() {
    return name;
  }

  DistributedLock lock() {
    return here.lock(name);
  }

  DistributedLock lockElsewhere() {
    return elsewhere.lock(name);
  }

  <T> Person<T> begin(Callable<T> work) {
    Person<T> person = new Person<>(work);
    people.add(person);
    return person;
  }

  /** Lets another thread do something, and waits for that. */
  <T> T ask(Callable<T> work) throws Exception {
    return begin(work).result();
  }

  /** Begins a wait, and goes on once it stands in its queue. */
  <T> Person<T> beginWait(Callable<T> work) {
    Person<T> person = begin(work);
    until("it waits", person::isParked);
    return person;
  }

  /** Whether a thread of the other client can have the lock at once; gives it back. */
  boolean isFreeForOthers() throws Exception {
    return ask(() -> {
      boolean free = lockElsewhere().tryLock();
      if (free) {
        lockElsewhere().unlock();
      }
      return free;
    });
  }

  int waiters() {
    return here.inspect(name).map(info -> info.waiters()).orElse(0);
  }

  static void until(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > LIMIT) {
        throw new AssertionError("not in time: " + what);
      }
      LockSupport.parkNanos(500_000);
    }
  }

  @Override
  public void close() {
    here.close();
    elsewhere.close();
    people.forEach(person -> until("the threads end", person::isDone));
  }
}
