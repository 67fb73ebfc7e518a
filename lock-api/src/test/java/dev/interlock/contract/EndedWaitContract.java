package dev.interlock.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.contract.Company.Person;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * A wait that has ended stands in no queue when its call returns: nothing later grants the lock to
 * somebody who has left.
 */
@Timeout(60)
public abstract class EndedWaitContract {
  /** Less than a client waits for the answer to a removal. */
  private static final long PROMPT = TimeUnit.MILLISECONDS.toNanos(400);

  private Company company;
  private DistributedLock lock;

  /** For subclasses. */
  protected EndedWaitContract() {}

  /** Where the locks are: the same place each time. */
  protected abstract String uri();

  @BeforeEach
  void open() {
    company = new Company(uri());
    lock = company.lock();
  }

  @AfterEach
  void close() {
    company.close();
  }

  /** Removed before the call returns, unless the server takes longer; then soon afterwards. */
  private void assertNobodyWaits(long leaving) {
    if (isPrompt(leaving)) {
      assertThat(company.waiters()).isZero();
    } else {
      Company.until("nobody waits", () -> company.waiters() == 0);
    }
  }

  private static boolean isPrompt(long since) {
    return System.nanoTime() - since < PROMPT;
  }

  private void assertNobodyIsLeft(long leaving) throws Exception {
    assertNobodyWaits(leaving);
    lock.unlock();
    assertThat(company.isFreeForOthers()).as("free after unlock").isTrue();
    assertThat(company.here().inspect(company.name())).isEmpty();
  }

  /** Free at once, unless the server takes longer to remove who has left; then soon. */
  private void assertFree(long leaving) throws Exception {
    if (isPrompt(leaving)) {
      assertThat(company.isFreeForOthers()).isTrue();
    } else {
      Company.until("free", () -> {
        try {
          return company.isFreeForOthers();
        } catch (Exception e) {
          throw new AssertionError(e);
        }
      });
    }
  }

  private List<DistributedLock> views() {
    return List.of(company.lock(), company.lockElsewhere());
  }

  @Rounds
  void afterATimeout() throws Exception {
    for (DistributedLock view : views()) {
      lock.lock();
      long start = System.nanoTime();
      assertThat(company.<Boolean>ask(() -> view.tryLock(10, TimeUnit.MILLISECONDS)))
          .isFalse();
      assertNobodyIsLeft(start);
    }
  }

  @Rounds
  void afterAnInterrupt() throws Exception {
    for (DistributedLock view : views()) {
      lock.lock();
      Person<Boolean> waiter = company.beginWait(() -> {
        view.lockInterruptibly();
        return true;
      });
      long leaving = System.nanoTime();
      waiter.interrupt();
      assertThat(catchThrowable(waiter::result)).isInstanceOf(InterruptedException.class);
      assertNobodyIsLeft(leaving);
    }
  }

  @Rounds
  void afterAllOfSeveralHaveLeft() throws Exception {
    lock.lock();
    List<Person<Boolean>> waiters = views().stream()
        .flatMap(view -> List.of(view, view).stream())
        .map(view -> company.beginWait(() -> view.tryLock(1, TimeUnit.MINUTES)))
        .toList();
    long leaving = System.nanoTime();
    for (Person<Boolean> waiter : waiters) {
      waiter.interrupt();
    }
    for (Person<Boolean> waiter : waiters) {
      assertThat(catchThrowable(waiter::result)).isInstanceOf(InterruptedException.class);
    }
    assertNobodyIsLeft(leaving);
  }

  @Rounds
  void anInterruptDuringAnUnlockGrantsOrLeavesNothing() throws Exception {
    for (DistributedLock view : views()) {
      lock.lock();
      Person<Boolean> waiter = company.beginWait(() -> takeAndGiveBack(view, 60_000));
      long leaving = System.nanoTime();
      Person<Boolean> interrupter = company.begin(() -> {
        waiter.interrupt();
        return true;
      });
      lock.unlock();
      interrupter.result();
      Throwable thrown = catchThrowable(waiter::result);
      if (thrown != null) {
        assertThat(thrown).isInstanceOf(InterruptedException.class);
      }
      assertFree(leaving);
    }
  }

  @Rounds
  void aTimeoutDuringAnUnlockGrantsOrLeavesNothing() throws Exception {
    for (DistributedLock view : views()) {
      lock.lock();
      long start = System.nanoTime();
      Person<Boolean> waiter = company.begin(() -> takeAndGiveBack(view, 10));
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10) - (System.nanoTime() - start));
      lock.unlock();
      waiter.result();
      assertFree(start);
    }
  }

  private static boolean takeAndGiveBack(DistributedLock view, long millis)
      throws InterruptedException {
    boolean taken = view.tryLock(millis, TimeUnit.MILLISECONDS);
    if (taken) {
      view.unlock();
    }
    return taken;
  }

  @Rounds
  void afterAnAsynchronousTimeout() throws Exception {
    for (LockClient client : List.of(company.here(), company.elsewhere())) {
      lock.lock();
      long start = System.nanoTime();
      CompletableFuture<Lease> future =
          client.acquireAsync(LockRequest.of(company.name()).withWait(Duration.ofMillis(20)));
      Throwable thrown = catchThrowable(() -> future.get(20, TimeUnit.SECONDS));
      // A server that does not answer in time is no holder.
      assertThat(thrown)
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(isPrompt(start) ? LockTimeoutException.class : LockException.class);
      assertNobodyIsLeft(start);
    }
  }

  /** Cancelling answers at once, by contract; what it leaves goes in the background. */
  @Rounds
  void soonAfterACancellation() {
    lock.lock();
    for (LockClient client : List.of(company.here(), company.elsewhere())) {
      CompletableFuture<Lease> future = client.acquireAsync(LockRequest.of(company.name()));
      future.cancel(false);
    }
    Company.until("nobody waits", () -> company.waiters() == 0);
    lock.unlock();
    Company.until("it is free", () -> company.here().inspect(company.name()).isEmpty());
  }

  @Rounds
  void afterTheClientOfAWaiterWasClosed() throws Exception {
    lock.lock();
    Person<Boolean> waiter =
        company.beginWait(() -> company.lockElsewhere().tryLock(1, TimeUnit.MINUTES));
    long leaving = System.nanoTime();
    company.elsewhere().close();
    assertThat(catchThrowable(waiter::result)).isInstanceOf(LockException.class);
    assertNobodyWaits(leaving);
    lock.unlock();
    assertThat(company.<Boolean>ask(() -> {
          boolean taken = company.lock().tryLock();
          company.lock().unlock();
          return taken;
        }))
        .isTrue();
  }

  /** Waiters that got the lock within their client must not be granted it again later. */
  @Rounds
  void afterWaitersOfOneClientHadTheLockInTurn() throws Exception {
    for (int round = 0; round < 3; round++) {
      lock.lock();
      List<Person<Boolean>> waiters = List.of(
          company.beginWait(() -> takeAndGiveBack(company.lock(), 60_000)),
          company.beginWait(() -> takeAndGiveBack(company.lock(), 60_000)),
          company.beginWait(() -> takeAndGiveBack(company.lock(), 60_000)));
      lock.unlock();
      for (Person<Boolean> waiter : waiters) {
        assertThat(waiter.result()).isTrue();
      }
      assertThat(company.isFreeForOthers()).isTrue();
    }
  }
}
