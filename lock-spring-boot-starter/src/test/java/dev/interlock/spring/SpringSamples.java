package dev.interlock.spring;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;

/** The samples of README.md and docs/spring.md. They only compile. */
@SuppressWarnings({"ClassCanBeStatic", "UnusedVariable"})
final class SpringSamples {

  @Component
  class Reports {
    @Scheduled(cron = "0 * * * * *")
    @LockedJob(name = "report", atLeast = "50s")
    public void report() {
      System.out.println("The report, by process " + ProcessHandle.current().pid());
    }
  }

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

  @Component
  class Orders {
    Orders(@Qualifier("orders") LockClient locks, @Qualifier("orders") LockTemplate template) {}

    @Locked(name = "order-#{#id}", client = "orders")
    public void ship(long id) {}
  }

  @Component
  class Accounts {
    @Locked(names = {"account-#{#from}", "account-#{#to}"})
    public void transfer(long from, long to) {
      long token = CurrentLease.of("account-" + from).fencingToken();
    }
  }

  @Component
  class Catalogue {
    @Locked(name = "catalogue", mode = LockMode.READ)
    public void look() {}

    @Locked(name = "catalogue")
    public void change() {}

    @Limited(name = "exports-#{#region}", permits = 4)
    public void export(String region) {}
  }

  @Configuration
  class Strategies {
    @Bean
    LockNaming lockNaming() {
      return (call, name) -> call.type().getSimpleName() + "/" + name;
    }

    @Bean
    LockFailureStrategy lockFailures() {
      return (call, failure) -> new ResponseStatusException(
          failure instanceof LockTimeoutException
              ? HttpStatus.CONFLICT
              : HttpStatus.SERVICE_UNAVAILABLE,
          "try again later",
          failure);
    }
  }

  @Component
  class Importer implements LeaderCallback {
    @Override
    public void gained(Lease lease) {
      while (!Thread.currentThread().isInterrupted()) {
        importNext(lease.fencingToken());
      }
    }

    private void importNext(long token) {}
  }

  @Configuration
  class Leaders {
    @Bean
    LeaderElection importing(LockClient locks, Importer importer) {
      return new LeaderElection(locks, LockRequest.of("import"), importer);
    }
  }
}
