package dev.interlock.spring;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/** Rolls back what a thread would commit under a lease that it has lost. */
final class LeaseCommitGuard implements TransactionExecutionListener {

  @Override
  public void beforeCommit(TransactionExecution transaction) {
    for (LeaseScope scope = LeaseScope.current(); scope != null; scope = scope.outer()) {
      scope.lease().ensureValid();
    }
  }
}
