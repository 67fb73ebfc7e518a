package dev.interlock.internal.running;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockListener;
import dev.interlock.internal.engine.HoldIds;
import dev.interlock.spi.LockBackend;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several servers behind one backend, of which one is silent. */
@Timeout(20)
class AbandonmentsTest {
  private static final LockListener NOBODY = new LockListener() {};
  private static final long LEASE = TimeUnit.SECONDS.toNanos(30);

  private final CountDownLatch silence = new CountDownLatch(1);
  private final AtomicInteger heard = new AtomicInteger();
  private final HoldIds ids = new HoldIds();
  private final ClientThreads threads = new ClientThreads("abandonments-test", null);
  private final Abandonments abandonments = new Abandonments(
      new BackendCalls("stub", backend(), NOBODY, Clocks.SYSTEM), threads, NOBODY, name -> {});

  @AfterEach
  void close() {
    silence.countDown();
    threads.close(TimeUnit.SECONDS.toNanos(5));
  }

  private LockBackend backend() {
    return (LockBackend) Proxy.newProxyInstance(
        LockBackend.class.getClassLoader(),
        new Class<?>[] {LockBackend.class},
        (proxy, method, arguments) -> { // only abandon() is called
          if (arguments[0].equals("silent")) {
            silence.await();
          }
          if (!arguments[0].equals("heard")) {
            throw new BackendUnavailableException("as planned");
          }
          heard.incrementAndGet();
          return null;
        });
  }

  private CountDownLatch removed(String name, long lease) {
    CountDownLatch removed = new CountDownLatch(1);
    abandonments.add(name, ids.next(), lease, false, removed::countDown);
    return removed;
  }

  @Test
  @DisplayName("W6 what is left on a server that just fell silent holds up no other's clean-up")
  void goesOnBesideSilence() throws Exception {
    for (int i = 0; i < 8; i++) {
      removed("silent", LEASE);
    }
    assertThat(removed("heard", LEASE).await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  @DisplayName("who waits for a removal hears that nobody asks the server any more")
  void tellsOfTheEnd() throws Exception {
    assertThat(removed("refused", TimeUnit.MILLISECONDS.toNanos(300)).await(10, TimeUnit.SECONDS))
        .isTrue();
  }

  @Test
  @DisplayName("E7 what is left on a server that is silent keeps no other from its last removal")
  void flushesBesideSilence() {
    for (int i = 0; i < 10; i++) { // which the background begins too late
      for (String name : List.of("silent", "refused", "heard")) {
        abandonments.addLater(name, ids.next(), LEASE, false, () -> {}, LEASE);
      }
    }
    long start = System.nanoTime();
    assertThat(abandonments.flush(start + TimeUnit.SECONDS.toNanos(2))).isFalse();
    assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(4));
    assertThat(heard).hasValue(10);
  }
}
