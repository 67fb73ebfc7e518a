package dev.interlock.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.DistributedLock;
import dev.interlock.contract.Company.Person;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** A {@link DistributedLock} behaves as users of {@code ReentrantLock} expect. */
@Timeout(60)
public abstract class DistributedLockContract {
  private Company company;
  private DistributedLock lock;

  /** For subclasses. */
  protected DistributedLockContract() {}

  /** Where the locks are: the same place each time. */
  protected abstract String uri();

  @BeforeEach
  void open() {
    company = new Company(uri());
    lock = company.lock();
  }

  @AfterEach
  void close() {
    assertThat(Thread.interrupted()).as("the test's thread is interrupted").isFalse();
    company.close();
  }

  @Rounds
  void lockHoldsAndUnlockFrees() throws Exception {
    lock.lock();
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    assertThat(company.isFreeForOthers()).isFalse();
    lock.unlock();
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThat(lock.holdCount()).isZero();
    assertThat(company.isFreeForOthers()).isTrue();
  }

  @Rounds
  void tryLockTakesAFreeLock() throws Exception {
    assertThat(lock.tryLock()).isTrue();
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    assertThat(company.isFreeForOthers()).isFalse();
    lock.unlock();
  }

  @Rounds
  void timedTryLockTakesAFreeLock() throws Exception {
    assertThat(lock.tryLock(1, TimeUnit.MINUTES)).isTrue();
    lock.unlock();
    assertThat(lock.tryLock(Duration.ofMinutes(1), Duration.ofSeconds(20))).isTrue();
    lock.unlock();
    lock.lockInterruptibly();
    lock.unlock();
    assertThat(company.isFreeForOthers()).isTrue();
  }

  @Rounds
  void unlockOfAFreeLockIsRefused() {
    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    lock.lock();
    lock.unlock();
    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
  }

  @Rounds
  void unlockByAnotherThreadIsRefusedAndFreesNothing() throws Exception {
    lock.lock();
    assertThatThrownBy(() -> company.ask(() -> unlock(company.lock())))
        .isInstanceOf(IllegalMonitorStateException.class);
    assertThatThrownBy(() -> company.ask(() -> unlock(company.lockElsewhere())))
        .isInstanceOf(IllegalMonitorStateException.class);
    assertThat(company.isFreeForOthers()).isFalse();
    lock.unlock();
  }

  private static boolean unlock(DistributedLock lock) {
    lock.unlock();
    return true;
  }

  @Rounds
  void tryLockIsRefusedWhileAnotherThreadHolds() throws Exception {
    lock.lock();
    assertThat(company.<Boolean>ask(() -> company.lock().tryLock())).isFalse();
    assertThat(company.<Boolean>ask(() -> company.lockElsewhere().tryLock())).isFalse();
    assertThat(company.<Boolean>ask(() -> company.lock().tryLock(0, TimeUnit.SECONDS)))
        .isFalse();
    assertThat(company.<Boolean>ask(() -> company.lock().tryLock(-1, TimeUnit.SECONDS)))
        .isFalse();
    lock.unlock();
  }

  @Rounds
  void onlyTheHoldersThreadIsTold() throws Exception {
    lock.lock();
    assertThat(company.<Boolean>ask(() -> company.lock().isHeldByCurrentThread()))
        .isFalse();
    assertThat(company.<Integer>ask(() -> company.lock().holdCount())).isZero();
    assertThat(company.lockElsewhere().isHeldByCurrentThread()).isFalse();
    lock.unlock();
  }

  @Rounds
  void eachWayInCountsAsAnEntry() throws Exception {
    lock.lock();
    assertThat(lock.tryLock()).isTrue();
    lock.lockInterruptibly();
    assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
    for (int entries = 4; entries > 0; entries--) {
      assertThat(lock.holdCount()).isEqualTo(entries);
      assertThat(company.isFreeForOthers()).isFalse();
      lock.unlock();
    }
    assertThat(lock.holdCount()).isZero();
    assertThat(company.isFreeForOthers()).isTrue();
  }

  @Rounds
  void theHolderReentersThoughOthersWait() throws Exception {
    lock.lock();
    Person<Boolean> waiter = company.beginWait(() -> hold(company.lock()));
    Person<Boolean> farWaiter = company.beginWait(() -> hold(company.lockElsewhere()));
    lock.lock();
    assertThat(lock.tryLock()).isTrue();
    assertThat(lock.holdCount()).isEqualTo(3);
    lock.unlock();
    lock.unlock();
    assertThat(waiter.isDone() || farWaiter.isDone()).isFalse();
    lock.unlock();
    assertThat(waiter.result()).isTrue();
    assertThat(farWaiter.result()).isTrue();
  }

  private static boolean hold(DistributedLock lock) {
    lock.lock();
    try {
      return lock.isHeldByCurrentThread();
    } finally {
      lock.unlock();
    }
  }

  @Rounds
  void anInterruptBeforeAnInterruptibleLockIsThrown() throws Exception {
    Thread.currentThread().interrupt();
    assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> lock.tryLock(1, TimeUnit.MINUTES))
        .isInstanceOf(InterruptedException.class);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThat(company.isFreeForOthers()).isTrue();
  }

  @Rounds
  void tryLockLeavesTheInterruptFlag() {
    Thread.currentThread().interrupt();
    boolean taken = lock.tryLock();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(taken).isTrue();
    lock.unlock();
  }

  @Rounds
  void lockTakesAFreeLockAndLeavesTheInterruptFlag() {
    Thread.currentThread().interrupt();
    lock.lock();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    lock.unlock();
  }

  @Rounds
  void lockWaitsOnThroughInterruptsAndSetsTheFlag() throws Exception {
    lock.lock();
    Person<Boolean> waiter = company.beginWait(() -> {
      company.lock().lock();
      boolean flagged = Thread.interrupted() && company.lock().isHeldByCurrentThread();
      company.lock().unlock();
      return flagged;
    });
    for (int i = 0; i < 3; i++) {
      waiter.interrupt();
      Company.until("it waits again", waiter::isParked);
      assertThat(waiter.isDone()).isFalse();
    }
    lock.unlock();
    assertThat(waiter.result()).isTrue();
  }

  @Rounds
  void aWaitThatIsInterruptedThrowsAndTheHolderKeepsTheLock() throws Exception {
    lock.lock();
    for (DistributedLock view : List.of(company.lock(), company.lockElsewhere())) {
      Person<Boolean> waiter = company.beginWait(() -> {
        view.lockInterruptibly();
        return true;
      });
      waiter.interrupt();
      assertThatThrownBy(waiter::result).isInstanceOf(InterruptedException.class);
      Person<Boolean> timed = company.beginWait(() -> view.tryLock(1, TimeUnit.MINUTES));
      timed.interrupt();
      assertThatThrownBy(timed::result).isInstanceOf(InterruptedException.class);
    }
    assertThat(lock.holdCount()).isEqualTo(1);
    lock.unlock();
    assertThat(company.isFreeForOthers()).isTrue();
  }

  @Rounds
  void aWaitThatIsOverAnswersFalseAndNotTooEarly() throws Exception {
    lock.lock();
    for (DistributedLock view : List.of(company.lock(), company.lockElsewhere())) {
      long waited = company.ask(() -> {
        long start = System.nanoTime();
        assertThat(view.tryLock(30, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(view.isHeldByCurrentThread()).isFalse();
        return System.nanoTime() - start;
      });
      assertThat(waited).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(30));
    }
    assertThat(lock.holdCount()).isEqualTo(1);
    lock.unlock();
  }

  @Rounds
  void anUnlockLetsAWaiterIn() throws Exception {
    for (DistributedLock view : List.of(company.lock(), company.lockElsewhere())) {
      lock.lock();
      Person<Boolean> waiter = company.beginWait(() -> {
        boolean taken = view.tryLock(1, TimeUnit.MINUTES);
        view.unlock();
        return taken;
      });
      lock.unlock();
      assertThat(waiter.result()).isTrue();
    }
    assertThat(company.isFreeForOthers()).isTrue();
  }

  @Rounds
  void manyThreadsExcludeOneAnotherAndLeaveAFreeLock() throws Exception {
    int[] counter = {0};
    List<Person<Boolean>> threads = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      DistributedLock view = i % 2 == 0 ? company.lock() : company.lockElsewhere();
      threads.add(company.begin(() -> {
        for (int j = 0; j < 5; j++) {
          view.lock();
          int seen = counter[0];
          LockSupport.parkNanos(1);
          counter[0] = seen + 1;
          view.unlock();
        }
        return !view.isHeldByCurrentThread();
      }));
    }
    for (Person<Boolean> thread : threads) {
      assertThat(thread.result()).isTrue();
    }
    lock.lock(); // what the threads wrote is seen here, as the lock is of one process
    assertThat(counter[0]).isEqualTo(30);
    lock.unlock();
    assertThat(company.isFreeForOthers()).isTrue();
  }

  @Rounds
  void allViewsOfOneNameAreEqual() {
    assertThat(company.lock()).isEqualTo(lock).hasSameHashCodeAs(lock);
    assertThat(company.here().lock("other")).isNotEqualTo(lock);
    assertThat(company.lockElsewhere()).isNotEqualTo(lock);
    assertThat(lock.toString()).contains(company.name());
    lock.lock();
    company.lock().unlock();
    assertThat(lock.holdCount()).isZero();
  }

  @Rounds
  void thereAreNoConditions() {
    assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
  }
}
