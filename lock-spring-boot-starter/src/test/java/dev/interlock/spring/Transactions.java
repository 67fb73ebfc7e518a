package dev.interlock.spring;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** Transactions of nothing, which tell what became of them. Suspends and resumes as others do. */
class Transactions extends AbstractPlatformTransactionManager {
  private static final long serialVersionUID = 1;

  private static final class Running {
    boolean active;
  }

  @SuppressWarnings("ThreadLocalUsage") // several managers in one test, each with its own
  private final transient ThreadLocal<@Nullable Running> current = new ThreadLocal<>();

  final transient List<String> ends = new CopyOnWriteArrayList<>();

  @Override
  protected Object doGetTransaction() {
    Running running = current.get();
    return running == null ? new Running() : running;
  }

  @Override
  protected boolean isExistingTransaction(Object transaction) {
    return ((Running) transaction).active;
  }

  @Override
  protected void doBegin(Object transaction, TransactionDefinition definition) {
    Running running = (Running) transaction;
    running.active = true;
    current.set(running);
  }

  @Override
  protected Object doSuspend(Object transaction) {
    current.remove();
    return transaction;
  }

  @Override
  protected void doResume(@Nullable Object transaction, Object suspended) {
    current.set((Running) suspended);
  }

  @Override
  protected void doCommit(DefaultTransactionStatus status) {
    ends.add("commit");
  }

  @Override
  protected void doRollback(DefaultTransactionStatus status) {
    ends.add("rollback");
  }

  @Override
  protected void doSetRollbackOnly(DefaultTransactionStatus status) {
    // The outermost rolls back by itself.
  }

  @Override
  protected void doCleanupAfterCompletion(Object transaction) {
    ((Running) transaction).active = false;
    current.remove();
  }
}
