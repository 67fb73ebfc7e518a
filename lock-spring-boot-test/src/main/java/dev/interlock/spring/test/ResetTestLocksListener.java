package dev.interlock.spring.test;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/** Leaves no lock to the next test method. Found by Spring. */
final class ResetTestLocksListener extends AbstractTestExecutionListener {
  /**
   * After the end of the test's transaction (4000), which gives up the locks that it keeps, and
   * before a context that the test has spoilt is closed (3000).
   */
  private static final int ORDER = 3500;

  @Override
  public int getOrder() {
    return ORDER;
  }

  @Override
  public void afterTestMethod(TestContext test) {
    // Not one that this would have to start.
    if (test.hasApplicationContext()) {
      test.getApplicationContext().getBeanProvider(TestLocks.class).ifAvailable(TestLocks::reset);
    }
  }
}
