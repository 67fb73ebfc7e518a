package dev.interlock.spring.test;

import dev.interlock.HoldInfo;
import dev.interlock.LockClient;
import java.util.Optional;
import org.assertj.core.api.AbstractAssert;

/** What a test expects of the locks of a client, as its server knows them. */
public final class LockClientAssert extends AbstractAssert<LockClientAssert, LockClient> {

  LockClientAssert(LockClient actual) {
    super(actual, LockClientAssert.class);
  }

  private Optional<HoldInfo> inspect(String name) {
    isNotNull();
    return actual.inspect(name);
  }

  /**
   * Expects that somebody holds a lock now.
   *
   * @param name the lock's name
   * @return this
   */
  public LockClientAssert hasHeld(String name) {
    if (inspect(name).isEmpty()) {
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
  public LockClientAssert hasFree(String name) {
    inspect(name)
        .ifPresent(info ->
            failWithMessage("Expected lock '%s' to be free, but it is held: %s", name, info));
    return this;
  }

  /**
   * Expects that a lock is held and so many wait for it, as far as the server knows of them.
   *
   * @param name the lock's name
   * @param waiters how many
   * @return this
   */
  public LockClientAssert hasWaiters(String name, int waiters) {
    int found = inspect(name).map(HoldInfo::waiters).orElse(0);
    if (found != waiters) {
      failWithMessage(
          "Expected %d to wait for lock '%s', but the server knows of %d", waiters, name, found);
    }
    return this;
  }
}
