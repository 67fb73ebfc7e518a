package dev.interlock.spring;

import dev.interlock.Lease;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Keeps a lock that was taken within a running transaction until that transaction is complete:
 * released earlier, the next holder would not see what has not been committed. The transaction does
 * not commit once the lease is lost.
 */
final class AfterTransaction implements Ending, TransactionSynchronization {
  private final Lease lease;
  private final Ending last;
  // The work and the transaction; whichever is complete last gives up the lock.
  private final AtomicInteger open = new AtomicInteger(2);

  private AfterTransaction(Lease lease, Ending last) {
    this.lease = lease;
    this.last = last;
  }

  /** Returns an ending that minds the current transaction, if there is one. */
  static Ending of(Lease lease, Ending last) {
    return Present.TRANSACTIONS ? join(lease, last) : last;
  }

  private static Ending join(Lease lease, Ending last) {
    if (!TransactionSynchronizationManager.isSynchronizationActive()
        || !TransactionSynchronizationManager.isActualTransactionActive()) {
      return last;
    }
    AfterTransaction ending = new AfterTransaction(lease, last);
    TransactionSynchronizationManager.registerSynchronization(ending);
    return ending;
  }

  @Override
  public void end() {
    if (open.decrementAndGet() == 0) {
      last.end();
    } else {
      lease.ensureValid();
    }
  }

  @Override
  public void beforeCommit(boolean readOnly) {
    lease.ensureValid();
  }

  @Override
  public void afterCompletion(int status) {
    if (open.decrementAndGet() == 0) {
      last.endQuietly(lease.name());
    }
  }

  /** Apart from the class that needs the library. */
  private static final class Present {
    static final boolean TRANSACTIONS = ClassUtils.isPresent(
        "org.springframework.transaction.support.TransactionSynchronization",
        Present.class.getClassLoader());
  }
}
