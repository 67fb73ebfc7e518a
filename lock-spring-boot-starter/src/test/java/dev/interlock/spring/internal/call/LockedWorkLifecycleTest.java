package dev.interlock.spring.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import dev.interlock.spring.internal.lease.Ending;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** What is waited for at the end of an application. */
@Timeout(60)
class LockedWorkLifecycleTest {
  private final LockedWorkLifecycle lifecycle =
      new LockedWorkLifecycle(new DefaultListableBeanFactory(), Duration.ofSeconds(1));
  private final AtomicInteger idle = new AtomicInteger();

  private Ending begin() {
    return lifecycle.track(() -> {});
  }

  private static void onAnotherThread(Runnable code) throws Exception {
    CompletableFuture<Void> done = new CompletableFuture<>();
    new Thread(() -> {
          code.run();
          done.complete(null);
        })
        .start();
    done.get(20, TimeUnit.SECONDS);
  }

  @Test
  void work_of_other_threads_is_waited_for_and_that_of_the_closing_one_is_not() throws Exception {
    Ending others = begin();
    onAnotherThread(() -> {
      Ending before = begin();
      lifecycle.stop(idle::incrementAndGet);
      Ending after = begin();
      before.end();
      assertThat(idle).hasValue(0);
      others.end();
      assertThat(idle).hasValue(1);
      after.end();
    });
    Ending late = begin();
    onAnotherThread(late::end);
    onAnotherThread(() -> lifecycle.stop(idle::incrementAndGet));
    assertThat(idle).hasValue(2);
  }

  @Test
  void work_that_goes_on_after_its_call_is_waited_for_whoever_closes() throws Exception {
    Ending before = begin();
    before.detach();
    lifecycle.stop(idle::incrementAndGet);
    Ending within = begin();
    before.end();
    assertThat(idle).hasValue(1);
    within.detach();
    lifecycle.stop(idle::incrementAndGet);
    assertThat(idle).hasValue(1);
    onAnotherThread(within::end);
    assertThat(idle).hasValue(2);
    within.detach();
    lifecycle.stop(idle::incrementAndGet);
    assertThat(idle).as("what has ended is nobody's").hasValue(3);
  }

  @Test
  void work_that_ends_twice_counts_once() throws Exception {
    Ending twice = begin();
    Ending once = begin();
    onAnotherThread(() -> lifecycle.stop(idle::incrementAndGet));
    twice.end();
    twice.end();
    assertThat(idle).hasValue(0);
    once.end();
    assertThat(idle).hasValue(1);
  }

  /** They took 0.8 ms each when every end looked at all that was open. */
  @Test
  void many_open_calls_do_not_slow_down_the_end_of_each() {
    Stream.generate(this::begin).limit(20_000).forEach(open -> {});
    assertTimeout(Duration.ofSeconds(8), () -> {
      for (int i = 0; i < 20_000; i++) {
        begin().end();
      }
    });
  }
}
