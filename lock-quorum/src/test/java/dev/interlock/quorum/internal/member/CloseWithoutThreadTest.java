package dev.interlock.quorum.internal.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.quorum.SteeredMembers;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class CloseWithoutThreadTest extends SteeredMembers {
  @ParameterizedTest(name = "after {0} threads")
  @ValueSource(ints = {0, 1, 2})
  @DisplayName("E7 all members are closed also if there is no thread for one of them")
  void closesAll(int threads) throws Exception {
    Unlucky unlucky = new Unlucky(threads);
    unlucky.start();
    unlucky.join();
    assertThat(unlucky.error).isNull();
    members.forEach(member -> assertThat(member.closed()).isEqualTo(member.opened()));
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(ints = {0, 1, 2})
  @DisplayName("E7 also if that one fails to close")
  void closesTheOthers(int failing) throws Exception {
    members.get(failing).failsToClose(true);
    Unlucky unlucky = new Unlucky(0);
    unlucky.start();
    unlucky.join();
    members.get(failing).failsToClose(false); // it is closed once more
    assertThat(unlucky.error).hasMessage("cannot close");
    members.forEach(member -> assertThat(member.closed()).isEqualTo(member.opened()));
  }

  /** Every thread asks the one that makes it for this. */
  private final class Unlucky extends Thread {
    private @Nullable Throwable error;
    private int left;
    private boolean asks;

    Unlucky(int threads) {
      left = threads;
    }

    @Override
    public void run() {
      asks = true;
      try {
        quorum.close();
      } catch (Throwable e) {
        error = e;
      } finally {
        asks = false;
      }
    }

    @Override
    public ClassLoader getContextClassLoader() {
      if (asks && --left < 0) {
        throw new OutOfMemoryError("unable to create native thread");
      }
      return super.getContextClassLoader();
    }
  }
}
