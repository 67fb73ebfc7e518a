package dev.interlock.spring.test;

import java.util.Collections;
import org.assertj.core.api.AbstractAssert;

/** What a test expects of the locks of its application. */
public final class TestLocksAssert extends AbstractAssert<TestLocksAssert, TestLocks> {

  TestLocksAssert(TestLocks actual) {
    super(actual, TestLocksAssert.class);
  }

  /**
   * Expects that somebody holds a lock now.
   *
   * @param name the lock's name
   * @return this
   */
  public TestLocksAssert hasHeld(String name) {
    isNotNull();
    if (!actual.isHeld(name)) {
      failWithMessage("Expected lock '%s' to be held, but it is free", name);
    }
    return this;
  }

  /**
   * Expects that nobody holds a lock now.
   *
   * @param name the lock's name
   * @return this
   */
  public TestLocksAssert hasFree(String name) {
    isNotNull();
    if (actual.isHeld(name)) {
      failWithMessage("Expected lock '%s' to be free, but it is held", name);
    }
    return this;
  }

  /**
   * Expects that the application took a lock since the test method began, whether it holds it or
   * not.
   *
   * @param name the lock's name
   * @return this
   */
  public TestLocksAssert hasTaken(String name) {
    isNotNull();
    if (!actual.taken().contains(name)) {
      failWithMessage(
          "Expected lock '%s' to have been taken, but these were: %s", name, actual.taken());
    }
    return this;
  }

  /**
   * Expects that the application took a lock so often since the test method began.
   *
   * @param name the lock's name
   * @param times how often; re-entries do not count
   * @return this
   */
  public TestLocksAssert hasTaken(String name, int times) {
    isNotNull();
    int found = Collections.frequency(actual.taken(), name);
    if (found != times) {
      failWithMessage(
          "Expected lock '%s' to have been taken %d times, but it was %d times",
          name, times, found);
    }
    return this;
  }

  /**
   * Expects that the application did not take a lock since the test method began.
   *
   * @param name the lock's name
   * @return this
   */
  public TestLocksAssert hasNotTaken(String name) {
    return hasTaken(name, 0);
  }
}
