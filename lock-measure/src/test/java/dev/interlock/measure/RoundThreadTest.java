package dev.interlock.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class RoundThreadTest {

  @Test
  void threadsThatWaitWithoutEndAreCountedAndNoFailureOfTheRound() {
    CountDownLatch never = new CountDownLatch(1);
    RoundClock clock = new RoundClock(Duration.ofMillis(50), 2);
    List<RoundThread> threads = List.of(
        new RoundThread(clock, 0) {
          @Override
          void section(long number) throws InterruptedException {
            never.await();
          }
        },
        new RoundThread(clock, 1) {
          @Override
          void section(long number) throws InterruptedException {
            sleep(1);
          }
        });

    assertThatThrownBy(
            () -> RoundThread.runAll(threads, clock, Duration.ofMillis(50), Duration.ofSeconds(2)))
        .isInstanceOfSatisfying(
            HangException.class,
            e -> assertThat(e.how())
                .isEqualTo("1 of 2 threads still waited 2 s after the others had stopped"));
  }
}
