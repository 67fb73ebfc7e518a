package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import reactor.core.publisher.Mono;

/** Lost work that blocks when it hears of that keeps no other work from its interrupt. */
@Timeout(60)
class LossOrderTest {
  private static ConfigurableApplicationContext context;
  private static LockClient client;
  private static Work work;

  static class Work {
    @Locked("x")
    public void around(Runnable inner) {
      inner.run();
    }

    @Locked("x")
    public CompletableFuture<String> stage() {
      return new CompletableFuture<>();
    }

    @Locked("x")
    public Mono<String> mono(Runnable cancelled) {
      return Mono.<String>never().doOnCancel(cancelled);
    }
  }

  @BeforeAll
  static void start() {
    context = Contexts.local(List.of(Work.class));
    client = context.getBean(LockClient.class);
    work = context.getBean(Work.class);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      assertThat(latch.await(40, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Loses the lock within the outer call, which must be interrupted meanwhile. */
  private static void loseUnder(Consumer<Runnable> inner) {
    CountDownLatch outerHeard = new CountDownLatch(1);
    AtomicBoolean interrupted = new AtomicBoolean();
    try {
      assertThatThrownBy(() -> work.around(() -> {
            inner.accept(() -> awaitUninterrupted(outerHeard));
            client.forceRelease("x");
            try {
              Thread.sleep(20_000);
            } catch (InterruptedException e) {
              interrupted.set(true);
            }
          }))
          .isInstanceOf(LeaseLostException.class);
      assertThat(interrupted).as("the outer call was interrupted").isTrue();
    } finally {
      outerHeard.countDown();
    }
  }

  @Test
  void a_stage_whose_dependent_blocks() {
    loseUnder(blocking -> {
      var unused = work.stage().whenComplete((value, failure) -> blocking.run());
    });
  }

  @Test
  void a_publisher_that_blocks_when_it_is_cancelled() {
    loseUnder(blocking -> work.mono(blocking).subscribe(value -> {}, failure -> {}));
  }
}
