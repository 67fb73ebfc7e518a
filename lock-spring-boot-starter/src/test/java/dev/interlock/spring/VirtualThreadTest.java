package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

/** Annotated methods on the executor of {@code spring.threads.virtual.enabled}. */
@Timeout(60)
@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadTest {
  private static final int CALLS = 200;

  @Configuration(proxyBeanMethods = false)
  @EnableAsync
  static class Asynchronous {}

  static class Within {
    @Locked(name = "counter", waitFor = "50s")
    public void work() {
      CompletableFuture.runAsync(() -> {}).join();
    }
  }

  static class Counter {
    private final Within within;
    private int count;

    Counter(Within within) {
      this.within = within;
    }

    public int counted() {
      return count;
    }

    /** Reads, waits for another thread, writes: loses counts unless calls exclude one another. */
    @Async
    @Locked(name = "counter", waitFor = "50s")
    public CompletableFuture<String> count() {
      int before = count;
      within.work(); // enters again
      count = before + 1;
      return CompletableFuture.completedFuture(Thread.currentThread().toString());
    }
  }

  @Test
  void many_virtual_threads_enter_one_at_a_time() throws Exception {
    try (var context = Contexts.local(
        List.of(Asynchronous.class, Within.class, Counter.class),
        "spring.threads.virtual.enabled=true")) {
      Counter counter = context.getBean(Counter.class);
      List<CompletableFuture<String>> calls = new ArrayList<>();
      for (int i = 0; i < CALLS; i++) {
        calls.add(counter.count());
      }
      for (CompletableFuture<String> call : calls) {
        assertThat(call.get(50, TimeUnit.SECONDS)).startsWith("VirtualThread");
      }
      assertThat(counter.counted()).isEqualTo(CALLS);
    }
  }
}
