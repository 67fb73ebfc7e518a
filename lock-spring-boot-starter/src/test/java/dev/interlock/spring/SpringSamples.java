package dev.interlock.spring;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** The samples of README.md and docs/spring.md. They only compile. */
@SuppressWarnings({"ClassCanBeStatic", "UnusedVariable"})
final class SpringSamples {

  @Component
  class Jobs {
    @Scheduled(cron = "0 * * * * *")
    @LockedJob(name = "report", atLeast = "50s")
    public void report() {}

    @Locked("order-#{#id}")
    public void ship(long id) {
      long token = CurrentLease.get().fencingToken();
    }
  }
}
