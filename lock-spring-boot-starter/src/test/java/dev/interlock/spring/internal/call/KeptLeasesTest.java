package dev.interlock.spring.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.local.LocalLocks;
import dev.interlock.local.LocalSpace;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leases of once-only jobs, which their client extends or does not. */
@Timeout(30)
class KeptLeasesTest {
  private interface Extending {
    boolean extend(Duration lease) throws InterruptedException;
  }

  /** Only what is asked of a lease while its job runs. */
  private static Lease lease(Extending extending) {
    return (Lease) Proxy.newProxyInstance(
        Lease.class.getClassLoader(),
        new Class<?>[] {Lease.class},
        (proxy, method, arguments) -> switch (method.getName()) {
          case "extend" -> extending.extend((Duration) arguments[0]);
          case "hashCode" -> System.identityHashCode(proxy);
          case "equals" -> proxy == arguments[0];
          default -> throw new UnsupportedOperationException(method.getName());
        });
  }

  @Test
  void a_server_that_is_silent_for_some_jobs_costs_the_others_no_lease() throws Exception {
    KeptLeases leases = new KeptLeases();
    CountDownLatch asked = new CountDownLatch(8);
    CountDownLatch silence = new CountDownLatch(1);
    CountDownLatch extended = new CountDownLatch(1);
    try {
      for (int i = 0; i < 8; i++) {
        leases.keep(
            lease(more -> {
              asked.countDown();
              silence.await();
              return false;
            }),
            Duration.ofMillis(500),
            Optional.empty());
      }
      assertThat(asked.await(10, TimeUnit.SECONDS)).as("all at once").isTrue();
      leases.keep(
          lease(more -> {
            extended.countDown();
            return false;
          }),
          Duration.ofMillis(500),
          Optional.empty());
      assertThat(extended.await(10, TimeUnit.SECONDS)).isTrue();
    } finally {
      silence.countDown();
    }
  }

  @Test
  void a_lease_is_not_extended_beyond_its_longest_time() throws Exception {
    KeptLeases leases = new KeptLeases();
    CompletableFuture<Duration> extension = new CompletableFuture<>();
    leases.keep(
        lease(extension::complete), Duration.ofMillis(1000), Optional.of(Duration.ofMillis(1100)));
    // 200 ms before the end of the first second. A machine that is late by 300 ms extends nothing.
    extension.completeOnTimeout(Duration.ZERO, 5, TimeUnit.SECONDS);
    assertThat(extension.get()).isLessThanOrEqualTo(Duration.ofMillis(300));
  }

  /** On a thread that nobody ends before. */
  @Test
  void a_job_that_begins_while_the_application_is_closed_keeps_its_lock() throws Exception {
    LocalSpace space = LocalSpace.create();
    KeptLeases leases = new KeptLeases();
    leases.close();
    try (LockClient client = LocalLocks.using(space)) {
      Lease lease = client.acquire(LockRequest.of("job").withLease(Duration.ofSeconds(20)));
      leases.keep(lease, Duration.ofSeconds(20), Optional.empty());
    }
    try (LockClient next = LocalLocks.using(space)) {
      assertThat(next.tryAcquire(LockRequest.of("job"))).isEmpty();
    }
  }
}
