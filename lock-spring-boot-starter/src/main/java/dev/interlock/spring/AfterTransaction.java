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
final class AfterTransaction {
  private static final boolean PRESENT = ClassUtils.isPresent(
      "org.springframework.transaction.support.TransactionSynchronization",
      AfterTransaction.class.getClassLoader());

  private AfterTransaction() {}

  /** Returns an ending that minds the current transaction, if there is one. */
  static Ending of(Lease lease, Ending last) {
    return PRESENT ? Synchronized.join(lease, last) : last;
  }

  /** Loaded only in an application that has the library. */
  private static final class Synchronized implements Ending, TransactionSynchronization {
    private final Lease lease;
    private final Ending last;
    // The work and the transaction; whichever is complete last gives up the lock.
    private final AtomicInteger open = new AtomicInteger(2);

    private Synchronized(Lease lease, Ending last) {
      this.lease = lease;
      this.last = last;
    }

    static Ending join(Lease lease, Ending last) {
      if (!TransactionSynchronizationManager.isSynchronizationActive()
          || !TransactionSynchronizationManager.isActualTransactionActive()) {
        return last;
      }
      Synchronized ending = new Synchronized(lease, last);
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
  }
}
