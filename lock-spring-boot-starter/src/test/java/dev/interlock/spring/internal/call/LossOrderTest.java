package dev.interlock.spring.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.spring.Contexts;
import dev.interlock.spring.Locked;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import reactor.core.publisher.Mono;

/** No work hears late of its loss, or is released late, because other work or a release blocks. */
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

    @Locked("#{#name}")
    public CompletableFuture<String> named(String name, CompletableFuture<String> work) {
      return work;
    }

    @Locked("x")
    public Mono<String> mono(Runnable begun, Runnable cancelled) {
      return Mono.<String>never().doOnSubscribe(begins -> begun.run()).doOnCancel(cancelled);
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
    loseUnder(blocking -> work.mono(() -> {}, blocking).subscribe(value -> {}, failure -> {}));
  }

  /** Runs while releases block, as on a server that does not answer. */
  private static void whileReleasesBlock(Runnable check) {
    CountDownLatch answer = new CountDownLatch(1);
    try {
      for (int i = 0; i < 50; i++) {
        context.getBean(LockedCalls.class).releasing().execute(() -> awaitUninterrupted(answer));
      }
      check.run();
    } finally {
      answer.countDown();
    }
  }

  private static void assertCancelled(CompletableFuture<String> stage) {
    assertThat(stage)
        .failsWithin(Duration.ofSeconds(20))
        .withThrowableThat()
        .isInstanceOf(CancellationException.class);
  }

  @Test
  void a_stage_hears_of_its_loss_while_releases_block() {
    whileReleasesBlock(() -> {
      CompletableFuture<String> lost = new CompletableFuture<>();
      CompletableFuture<String> result = work.named("x", lost);
      client.forceRelease("x");
      assertThat(result)
          .failsWithin(Duration.ofSeconds(20))
          .withThrowableThat()
          .withCauseInstanceOf(LeaseLostException.class);
      assertCancelled(lost);
    });
  }

  @Test
  void a_publisher_is_cancelled_at_its_loss_while_releases_block() {
    whileReleasesBlock(() -> {
      CountDownLatch begun = new CountDownLatch(1);
      CountDownLatch cancelled = new CountDownLatch(1);
      work.mono(begun::countDown, cancelled::countDown).subscribe(value -> {}, failure -> {});
      awaitUninterrupted(begun);
      client.forceRelease("x");
      awaitUninterrupted(cancelled);
    });
  }

  /** More of them than threads release. */
  private static void whileDependentsBlock(BiConsumer<String, CompletableFuture<String>> ending) {
    CountDownLatch released = new CountDownLatch(1);
    try {
      for (int i = 0; i < 8; i++) {
        String name = "blocked-" + i;
        CompletableFuture<String> stage = new CompletableFuture<>();
        var unused =
            work.named(name, stage).whenComplete((value, failure) -> awaitUninterrupted(released));
        ending.accept(name, stage);
      }
      CompletableFuture<String> last = new CompletableFuture<>();
      CompletableFuture<String> result = work.named("x", last);
      last.complete("done");
      assertThat(result).succeedsWithin(Duration.ofSeconds(20)).isEqualTo("done");
      assertThat(client.inspect("x")).as("not released").isEmpty();
    } finally {
      released.countDown();
    }
  }

  @Test
  void dependents_of_lost_results_that_block_hold_up_no_release() {
    whileDependentsBlock((name, stage) -> client.forceRelease(name));
  }

  @Test
  void dependents_that_wait_for_another_release_hold_it_up_not() {
    whileDependentsBlock((name, stage) -> stage.complete("done"));
  }

  @Test
  void lost_work_is_cancelled_though_a_dependent_of_its_result_blocks() {
    CountDownLatch cancelled = new CountDownLatch(1);
    CompletableFuture<String> lost = new CompletableFuture<>();
    var unused =
        work.named("x", lost).whenComplete((value, failure) -> awaitUninterrupted(cancelled));
    client.forceRelease("x");
    try {
      assertCancelled(lost);
    } finally {
      cancelled.countDown();
    }
  }
}
