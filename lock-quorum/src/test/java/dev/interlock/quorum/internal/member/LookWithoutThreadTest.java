package dev.interlock.quorum.internal.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.quorum.SteeredMembers;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LookWithoutThreadTest extends SteeredMembers {
  @Test
  @DisplayName("a look at the members for which there was no thread keeps no later one from them")
  void looksLater() throws Exception {
    Thread unlucky = new Unlucky();
    unlucky.start();
    unlucky.join();
    assertThat(look().get(10, TimeUnit.SECONDS)).isEqualTo(true);
    takeAndRelease();
  }

  private CompletableFuture<?> look() throws ReflectiveOperationException {
    Method lookAgain = Members.class.getDeclaredMethod("lookAgain");
    lookAgain.setAccessible(true);
    return (CompletableFuture<?>) lookAgain.invoke(quorumMembers());
  }

  /** Every thread asks the one that makes it for this. */
  private final class Unlucky extends Thread {
    private boolean asks;

    @Override
    public void run() {
      asks = true;
      try {
        var unused = look();
      } catch (ReflectiveOperationException e) {
        throw new LinkageError("no such method", e);
      } finally {
        asks = false;
      }
    }

    @Override
    public ClassLoader getContextClassLoader() {
      if (asks) {
        throw new OutOfMemoryError("unable to create native thread");
      }
      return super.getContextClassLoader();
    }
  }
}
