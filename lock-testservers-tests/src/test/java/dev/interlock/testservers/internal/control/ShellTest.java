package dev.interlock.testservers.internal.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20) // shorter than what Shell waits for a program at most
class ShellTest {

  @Test
  @DisplayName("a program is run also while the application keeps the common pool busy")
  void runsBesideABusyCommonPool() throws Exception {
    CountDownLatch busy = new CountDownLatch(ForkJoinPool.getCommonPoolParallelism());
    CountDownLatch end = new CountDownLatch(1);
    try {
      for (long i = busy.getCount(); i > 0; i--) {
        ForkJoinPool.commonPool().execute(() -> {
          busy.countDown();
          try {
            end.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
      }
      busy.await();
      assertThat(Shell.run("echo", "done")).isEqualTo("done");
    } finally {
      end.countDown();
    }
  }

  @Test
  @DisplayName("an interrupt does not cut a program short, and is kept")
  void keepsAnInterrupt() {
    Thread.currentThread().interrupt();
    assertThat(Shell.run("sleep", "0.1")).isEmpty();
    assertThat(Thread.interrupted()).isTrue();
  }
}
