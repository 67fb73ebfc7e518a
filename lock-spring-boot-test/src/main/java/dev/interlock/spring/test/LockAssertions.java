package dev.interlock.spring.test;

import dev.interlock.LockClient;

/** Assertions about locks, of any client. */
public final class LockAssertions {
  private LockAssertions() {}

  /**
   * Begins an assertion.
   *
   * @param client whose locks are looked at
   * @return the assertion, which asks the server
   */
  public static LockClientAssert assertThat(LockClient client) {
    return new LockClientAssert(client);
  }
}
