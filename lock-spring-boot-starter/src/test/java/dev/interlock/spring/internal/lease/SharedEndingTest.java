package dev.interlock.spring.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.LostReason;
import dev.interlock.spring.Contexts;
import java.lang.reflect.Proxy;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What calls share that are nested in one another. */
class SharedEndingTest {
  @Test
  void a_call_that_makes_many_nested_ones_remembers_none_of_them() {
    AtomicInteger stages = new AtomicInteger();
    try (LockClient client = Locks.open("local://?namespace=" + Contexts.namespace());
        Lease held = client.tryAcquire(LockRequest.of("x")).orElseThrow()) {
      Lease counting = (Lease) Proxy.newProxyInstance(
          Lease.class.getClassLoader(),
          new Class<?>[] {Lease.class},
          (proxy, method, arguments) -> {
            if (method.getName().equals("lost")) {
              stages.incrementAndGet();
            }
            return method.invoke(held, arguments);
          });
      SharedEnding shared = new SharedEnding(counting, Ending.release(held));
      for (int i = 0; i < 100; i++) {
        shared.nest().end();
      }
      // Each would stay with the lease until that ends.
      assertThat(stages).hasValue(1);
      SharedEnding.Nested nested = shared.nest();
      client.forceRelease("x");
      assertThat(nested
              .lost()
              .toCompletableFuture()
              .orTimeout(20, TimeUnit.SECONDS)
              .join())
          .isEqualTo(LostReason.FORCED);
      assertThatThrownBy(held::close).isInstanceOf(LeaseLostException.class);
    }
  }
}
