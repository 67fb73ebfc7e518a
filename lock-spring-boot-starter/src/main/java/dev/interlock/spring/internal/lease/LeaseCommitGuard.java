package dev.interlock.spring.internal.lease;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Rolls back what a thread would commit under a lease that it has lost, with each transaction
 * manager that is a bean and tells of its transactions.
 */
public final class LeaseCommitGuard implements BeanPostProcessor {
  private static final TransactionExecutionListener GUARD = new TransactionExecutionListener() {
    @Override
    public void beforeCommit(TransactionExecution transaction) {
      LeaseScope.ensureAllValid();
    }
  };

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    // Those of reactive transactions do not know whose subscription they belong to.
    if (bean instanceof PlatformTransactionManager) {
      if (bean instanceof ConfigurableTransactionManager manager) {
        List<TransactionExecutionListener> all =
            new ArrayList<>(manager.getTransactionExecutionListeners());
        all.add(GUARD);
        manager.setTransactionExecutionListeners(all);
      } else {
        Ending.LOG.log(
            Level.WARNING,
            "The transaction manager ''{0}'' does not tell of its transactions: within @Locked they"
                + " commit also if the lease was lost",
            name);
      }
    }
    return bean;
  }
}
