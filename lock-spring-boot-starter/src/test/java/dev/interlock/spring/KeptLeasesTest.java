package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leases of once-only jobs, which their client extends or does not. */
@Timeout(30)
class KeptLeasesTest {
  private interface Extending {
    boolean extend() throws InterruptedException;
  }

  /** Only what is asked of a lease while its job runs. */
  private static Lease lease(Extending extending) {
    return (Lease) Proxy.newProxyInstance(
        Lease.class.getClassLoader(),
        new Class<?>[] {Lease.class},
        (proxy, method, arguments) -> switch (method.getName()) {
          case "extend" -> extending.extend();
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
            lease(() -> {
              asked.countDown();
              silence.await();
              return false;
            }),
            Duration.ofMillis(500));
      }
      assertThat(asked.await(10, TimeUnit.SECONDS)).as("all at once").isTrue();
      leases.keep(
          lease(() -> {
            extended.countDown();
            return false;
          }),
          Duration.ofMillis(500));
      assertThat(extended.await(10, TimeUnit.SECONDS)).isTrue();
    } finally {
      silence.countDown();
    }
  }
}
