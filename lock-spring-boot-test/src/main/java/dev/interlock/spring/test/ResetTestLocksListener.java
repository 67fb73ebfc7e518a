package dev.interlock.spring.test;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/** Leaves no lock to the next test method. Found by Spring. */
final class ResetTestLocksListener extends AbstractTestExecutionListener {

  @Override
  public void afterTestMethod(TestContext test) {
    // Not one that this would have to start.
    if (test.hasApplicationContext()) {
      test.getApplicationContext().getBeanProvider(TestLocks.class).ifAvailable(TestLocks::reset);
    }
  }
}
