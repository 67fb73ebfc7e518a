package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** What becomes of locked work when its application is closed. */
@Timeout(60)
class ShutdownTest {
  private static final String SHORT = "spring.lifecycle.timeout-per-shutdown-phase=100ms";

  @Configuration(proxyBeanMethods = false)
  @EnableScheduling
  static class Scheduling {}

  /** What a job does until it is told to end, and how it ended. */
  static class Job {
    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch end = new CountDownLatch(1);
    final CompletableFuture<String> ended = new CompletableFuture<>();

    void run() {
      begun.countDown();
      try {
        end.await();
        ended.complete(CurrentLease.get().isValid() ? "in order" : "without its lock");
      } catch (InterruptedException e) {
        ended.complete("interrupted");
      }
    }
  }

  interface HasJob {
    Job job();
  }

  static class Interrupted implements HasJob {
    private final Job job = new Job();

    @Scheduled(fixedDelay = 1, timeUnit = TimeUnit.DAYS)
    @Locked(name = "job", onBusy = OnBusy.SKIP)
    public void work() {
      job.run();
    }

    @Override
    public Job job() {
      return job;
    }
  }

  static class Signalled implements HasJob {
    private final Job job = new Job();

    @Scheduled(fixedDelay = 1, timeUnit = TimeUnit.DAYS)
    @Locked(name = "job", onBusy = OnBusy.SKIP, onLost = OnLost.SIGNAL)
    public void work() {
      job.run();
    }

    @Override
    public Job job() {
      return job;
    }
  }

  /** Made before the client, and so ended after it, unless somebody sees to it. */
  static class Early {
    @Bean
    ThreadPoolTaskExecutor aaaExecutor() {
      ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
      executor.setWaitForTasksToCompleteOnShutdown(true);
      executor.setAwaitTerminationSeconds(50);
      return executor;
    }
  }

  /** Work that closes its own application while a job of another thread is under way. */
  static class Closing {
    private final ConfigurableApplicationContext context;

    Closing(ConfigurableApplicationContext context) {
      this.context = context;
    }

    @Locked("closing")
    public void close() {
      context.close();
    }
  }

  @Test
  void work_that_closes_its_own_application_lets_that_of_others_end() throws Exception {
    try (ConfigurableApplicationContext context =
        Contexts.local(List.of(Interrupted.class, Closing.class))) {
      Interrupted other = context.getBean(Interrupted.class);
      Job job = other.job();
      // Not on an executor of Spring's, which would be waited for as well.
      Thread thread = new Thread(other::work);
      thread.start();
      assertThat(job.begun.await(20, TimeUnit.SECONDS)).isTrue();
      CompletableFuture<Void> closing =
          CompletableFuture.runAsync(() -> context.getBean(Closing.class).close());
      // Spring has marked the context as closed before it waits.
      await().until(context::isClosed);
      assertThat(closing).isNotDone();
      job.end.countDown();
      assertThat(job.ended.get(20, TimeUnit.SECONDS)).isEqualTo("in order");
      assertThatThrownBy(() -> closing.get(20, TimeUnit.SECONDS))
          .as("its own lock could not last")
          .hasCauseInstanceOf(LeaseLostException.class);
    }
  }

  static class Reactive {
    final Sinks.One<String> work = Sinks.one();

    @Locked("job")
    public Mono<String> work() {
      return work.asMono();
    }

    public Sinks.One<String> sink() {
      return work;
    }
  }

  private static CompletableFuture<Void> close(ConfigurableApplicationContext context) {
    return CompletableFuture.runAsync(context::close, Contexts.THREADS);
  }

  @ParameterizedTest
  @CsvSource({
    "Interrupted, 0s",
    "Signalled, 0s",
    "Interrupted, 50ms",
    "Signalled, 50ms",
  })
  void a_job_that_the_scheduler_lets_end_keeps_its_lock_until_then(String type, String period)
      throws Exception {
    Class<?> bean = Class.forName(ShutdownTest.class.getName() + "$" + type);
    var context = Contexts.local(
        List.of(Scheduling.class, bean),
        "spring.task.scheduling.shutdown.await-termination=true",
        "spring.task.scheduling.shutdown.await-termination-period=" + period);
    Job job = ((HasJob) context.getBean(bean)).job();
    job.begun.await();
    LockClient client = context.getBean(LockClient.class);
    CompletableFuture<Void> closing = close(context);
    await().until(context::isClosed);
    // As long as without a lock: closing used to interrupt the job by now.
    await().during(300, TimeUnit.MILLISECONDS).until(() -> !job.ended.isDone());
    assertThat(client.tryAcquire(LockRequest.of("job"))).isEmpty();
    job.end.countDown();
    assertThat(job.ended.get(10, TimeUnit.SECONDS)).isEqualTo("in order");
    closing.get(20, TimeUnit.SECONDS);
  }

  @Test
  void an_executor_ends_before_the_locks_of_its_tasks_whatever_was_made_first() throws Exception {
    var context = Contexts.local(List.of(Early.class, Interrupted.class), SHORT);
    Interrupted bean = context.getBean(Interrupted.class);
    context.getBean(ThreadPoolTaskExecutor.class).execute(bean::work);
    Job job = bean.job();
    job.begun.await();
    CompletableFuture<Void> closing = close(context);
    await().until(context::isClosed);
    await().during(500, TimeUnit.MILLISECONDS).until(() -> !job.ended.isDone());
    job.end.countDown();
    assertThat(job.ended.get(10, TimeUnit.SECONDS)).isEqualTo("in order");
    closing.get(20, TimeUnit.SECONDS);
  }

  @Test
  void a_subscription_and_a_templates_work_keep_their_locks_until_they_end() throws Exception {
    var context = Contexts.local(List.of(Reactive.class));
    Reactive reactive = context.getBean(Reactive.class);
    CompletableFuture<String> mono = reactive.work().toFuture();
    LockClient client = context.getBean(LockClient.class);
    await().until(() -> client.inspect("job").isPresent());
    LockTemplate template = context.getBean(LockTemplate.class);
    Job job = new Job();
    Contexts.THREADS.execute(() -> template.execute("template", lease -> {
      job.run();
      return 0;
    }));
    job.begun.await();
    CompletableFuture<Void> closing = close(context);
    await().until(context::isClosed);
    await().during(300, TimeUnit.MILLISECONDS).until(() -> !job.ended.isDone() && !mono.isDone());
    job.end.countDown();
    assertThat(job.ended.get(10, TimeUnit.SECONDS)).isEqualTo("in order");
    assertThat(closing).isNotDone();
    reactive.sink().tryEmitValue("result");
    assertThat(mono.get(10, TimeUnit.SECONDS)).isEqualTo("result");
    closing.get(20, TimeUnit.SECONDS);
  }

  static class Stages {
    final CompletableFuture<String> work = new CompletableFuture<>();

    @Locked(name = "job", onLost = OnLost.SIGNAL)
    public CompletableFuture<String> work() {
      return work;
    }

    public CompletableFuture<String> stage() {
      return work;
    }
  }

  @Test
  void who_waits_for_a_stage_that_is_complete_after_the_close_hears_of_it() throws Exception {
    var context = Contexts.local(List.of(Stages.class), SHORT);
    Stages stages = context.getBean(Stages.class);
    CompletableFuture<String> result = stages.work();
    CompletableFuture<String> work = stages.stage();
    close(context).get(20, TimeUnit.SECONDS);
    assertThat(result).isNotDone();
    work.complete("late");
    assertThatThrownBy(() -> result.get(5, TimeUnit.SECONDS))
        .hasCauseInstanceOf(LeaseLostException.class);
  }

  /** As in a main method that closes its context at its end. */
  @Test
  void a_stage_is_waited_for_by_the_thread_that_called_its_method_too() throws Exception {
    var context = Contexts.local(List.of(Stages.class));
    Stages stages = context.getBean(Stages.class);
    CompletableFuture<CompletableFuture<String>> called = new CompletableFuture<>();
    CompletableFuture<Void> closing = CompletableFuture.runAsync(
        () -> {
          called.complete(stages.work());
          context.close();
        },
        Contexts.THREADS);
    await().until(context::isClosed);
    await().during(300, TimeUnit.MILLISECONDS).until(() -> !closing.isDone());
    stages.stage().complete("result");
    assertThat(called.join().get(10, TimeUnit.SECONDS)).isEqualTo("result");
    closing.get(20, TimeUnit.SECONDS);
  }

  /** It enters the lock again on the thread that calls it, and goes on on others. */
  @Test
  void a_nested_subscription_is_waited_for_by_the_thread_that_began_it_too() throws Exception {
    var context = Contexts.local(List.of(Reactive.class));
    Reactive reactive = context.getBean(Reactive.class);
    LockTemplate template = context.getBean(LockTemplate.class);
    CompletableFuture<CompletableFuture<String>> called = new CompletableFuture<>();
    CompletableFuture<Void> closing = CompletableFuture.runAsync(
        () -> {
          called.complete(template.execute("job", lease -> reactive.work().toFuture()));
          context.close();
        },
        Contexts.THREADS);
    await().until(context::isClosed);
    await().during(300, TimeUnit.MILLISECONDS).until(() -> !closing.isDone());
    reactive.sink().tryEmitValue("result");
    assertThat(called.join().get(10, TimeUnit.SECONDS)).isEqualTo("result");
    closing.get(20, TimeUnit.SECONDS);
  }

  static class Store {
    final List<String> flushed = new CopyOnWriteArrayList<>();

    @Locked("flush")
    public void flush(String by) {
      flushed.add(by + (CurrentLease.get().isValid() ? "" : " without its lock"));
    }

    public List<String> flushed() {
      return flushed;
    }
  }

  /** What it writes is kept until it is closed. */
  static class Writer implements DisposableBean {
    private final Store store;

    Writer(Store store) {
      this.store = store;
    }

    @Override
    public void destroy() {
      store.flush(getClass().getSimpleName());
    }
  }

  @Lazy
  static class LateWriter extends Writer {
    LateWriter(Store store) {
      super(store);
    }
  }

  @Test
  void a_bean_that_is_destroyed_may_call_locked_methods_of_others() {
    var context = Contexts.local(List.of(Store.class, Writer.class, LateWriter.class));
    List<String> flushed = context.getBean(Store.class).flushed();
    assertThat(context.getBean(LateWriter.class)).isNotNull();
    context.close();
    assertThat(flushed).containsExactlyInAnyOrder("Writer", "LateWriter");
  }

  /** Whose locks need a bean that calls them. */
  @Configuration(proxyBeanMethods = false)
  static class ClientOfStore {
    @Bean
    LockClient ownClient(Store store, Environment environment) {
      assertThat(store.flushed()).isEmpty();
      return Locks.open(
          "local://?namespace=" + environment.getRequiredProperty("interlock.namespace"));
    }
  }

  static class OnceOnly {
    final Job job = new Job();

    @LockedJob(name = "once", atLeast = "50s")
    public void run() {
      job.run();
    }

    public Job job() {
      return job;
    }
  }

  @Test
  void a_locked_bean_that_the_locks_need_ends_after_them() throws Exception {
    var context = Contexts.local(List.of(Store.class, ClientOfStore.class, OnceOnly.class), SHORT);
    OnceOnly once = context.getBean(OnceOnly.class);
    Job job = once.job();
    Contexts.THREADS.execute(once::run);
    job.begun.await();
    String namespace = context.getEnvironment().getRequiredProperty("interlock.namespace");
    close(context).get(20, TimeUnit.SECONDS);
    try (LockClient other = Locks.open("local://?namespace=" + namespace)) {
      assertThat(other.inspect("once"))
          .as("left to the server before the client")
          .isPresent();
    } finally {
      job.end.countDown();
    }
  }

  @Test
  void work_that_does_not_end_in_time_is_interrupted() throws Exception {
    var context = Contexts.local(List.of(Interrupted.class), SHORT);
    Interrupted bean = context.getBean(Interrupted.class);
    Contexts.THREADS.execute(() -> {
      try {
        bean.work();
      } catch (RuntimeException e) {
        // It lost its lease.
      }
    });
    Job job = bean.job();
    job.begun.await();
    close(context).get(20, TimeUnit.SECONDS);
    assertThat(job.ended.get(10, TimeUnit.SECONDS)).isEqualTo("interrupted");
  }
}
