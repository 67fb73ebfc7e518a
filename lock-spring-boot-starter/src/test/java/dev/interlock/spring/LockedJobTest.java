package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.scheduling.annotation.Scheduled;

/** Jobs that every instance schedules. */
@Timeout(60)
class LockedJobTest {
  private final ApplicationContextRunner runner = new ApplicationContextRunner()
      .withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class))
      .withPropertyValues("interlock.uri=local://", "interlock.namespace=" + Contexts.namespace());

  static class Jobs {
    private final List<String> runs = new ArrayList<>();
    private final CountDownLatch never = new CountDownLatch(1);
    private boolean interrupted;

    public List<String> runs() {
      return runs;
    }

    public boolean isInterrupted() {
      return interrupted;
    }

    @Scheduled(cron = "0 0 0 1 1 *")
    @LockedJob(name = "report-#{#day}", atLeast = "${at-least:20s}")
    public void report(String day) {
      runs.add(CurrentLease.get().name());
    }

    @LockedJob(value = "endless", atLeast = "1s", atMost = "1200ms")
    public void endless() {
      try {
        never.await(20, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
  }

  @Test
  void one_instance_runs_it_and_the_others_skip_it_also_after_its_end() {
    runner.withBean(Jobs.class).run(first -> {
      first.getBean(Jobs.class).report("monday");
      runner.withBean(Jobs.class).run(second -> {
        Jobs jobs = second.getBean(Jobs.class);
        jobs.report("monday");
        jobs.report("tuesday");
        assertThat(jobs.runs()).containsExactly("report-tuesday");
      });
      assertThat(first.getBean(Jobs.class).runs()).containsExactly("report-monday");
    });
  }

  @Test
  void a_run_that_takes_longer_than_it_may_is_interrupted_and_frees_its_lock() {
    runner.withBean(Jobs.class).run(context -> {
      Jobs jobs = context.getBean(Jobs.class);
      assertThatThrownBy(jobs::endless).isInstanceOf(LeaseLostException.class);
      assertThat(jobs.isInterrupted()).isTrue();
      LockClient client = context.getBean(LockClient.class);
      try (Lease next = client.acquire(LockRequest.of("endless"))) {
        assertThat(next.isValid()).isTrue();
      }
    });
  }

  static class Waits {
    @Scheduled(cron = "0 0 0 1 1 *")
    @Locked("report")
    public void report() {}
  }

  static class WaitsTwice {
    @Scheduled(cron = "0 0 0 1 1 *")
    @Scheduled(cron = "0 0 0 1 2 *")
    @Locked("report")
    public void report() {}
  }

  @Locked("report")
  static class WaitsByClass {
    @Scheduled(cron = "0 0 0 1 1 *")
    public void report() {}
  }

  static class TooShort {
    @LockedJob(name = "report", atLeast = "10s", atMost = "9s")
    public void report() {}
  }

  static class Nameless {
    @LockedJob(atLeast = "10s")
    public void report() {}
  }

  static class Timeless {
    @LockedJob(name = "report", atLeast = "")
    public void report() {}
  }

  static class Unset {
    @LockedJob(name = "report", atLeast = "${no-such-property:}")
    public void report() {}
  }

  static class Both {
    @Locked("report")
    @LockedJob(name = "report", atLeast = "10s")
    public void report() {}
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      Waits        | @Locked on Waits.report(): it is @Scheduled, so all instances run it
      WaitsTwice   | use @LockedJob with an atLeast that is shorter than the period
      WaitsByClass | call a @Locked method of another bean from the job
      TooShort     | @LockedJob on TooShort.report(): atMost is shorter than atLeast
      Nameless     | @LockedJob on Nameless.report(): it needs a name
      Both         | @LockedJob on Both.report(): it is also @Locked: keep one of them
      Timeless     | @LockedJob on Timeless.report(): autoRelease=false and atLeast need each other
      Unset        | @LockedJob on Unset.report(): autoRelease=false and atLeast need each other
      """)
  void what_would_run_on_every_instance_or_cannot_be_meant_is_refused_at_start(
      String bean, String message) throws Exception {
    Class<?> type = Class.forName(LockedJobTest.class.getName() + "$" + bean);
    runner
        .withBean(type)
        .run(context ->
            assertThat(context).hasFailed().getFailure().hasStackTraceContaining(message));
  }

  static class Skips {
    @Scheduled(fixedDelay = 60_000)
    @Locked(name = "poll", onBusy = OnBusy.SKIP)
    public void poll() {}
  }

  @Test
  void a_job_that_skips_but_frees_its_lock_is_warned_of() {
    try (LogCapture log = new LogCapture()) {
      runner.withBean(Skips.class).run(context -> assertThat(context).hasNotFailed());
      assertThat(log.messages())
          .singleElement()
          .asString()
          .startsWith("@Locked on Skips.poll() is @Scheduled: instances that call it after the end"
              + " of another's run run it again.")
          .contains("@LockedJob");
    }
  }
}
