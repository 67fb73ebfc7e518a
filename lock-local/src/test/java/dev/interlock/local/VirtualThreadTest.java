package dev.interlock.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockRequest;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads came with JDK 21")
@Timeout(60)
class VirtualThreadTest {
  private static final int THREADS = 10_000;

  private final Rig rig = new Rig();
  private final Rig.Client client = rig.open();
  private final AtomicInteger inside = new AtomicInteger();
  private final AtomicInteger entries = new AtomicInteger();

  @AfterEach
  void close() {
    rig.close();
  }

  /** {@code Thread.ofVirtual().factory()}, which this module's Java 17 does not know. */
  private static ThreadFactory virtualThreads() throws ReflectiveOperationException {
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    Method factory = Class.forName("java.lang.Thread$Builder").getMethod("factory");
    return (ThreadFactory) factory.invoke(builder);
  }

  @ParameterizedTest
  @DisplayName("W7 ten thousand virtual threads that wait for one lock all get it, on few threads")
  @ValueSource(booleans = {false, true})
  void allGetIt(boolean fair) throws Exception {
    ThreadFactory factory = virtualThreads();
    LockRequest request = LockRequest.of("x").fair(fair);
    int before = platformThreads();
    int peak = 0;
    List<Thread> threads = new ArrayList<>();
    try (var held = client.acquire("x")) {
      assertThat(held.isValid()).isTrue();
      for (int i = 0; i < THREADS; i++) {
        Thread thread = factory.newThread(() -> enter(request));
        thread.start();
        threads.add(thread);
      }
    }
    for (int i = 0; i < THREADS; i++) {
      if (i % 500 == 0) {
        peak = Math.max(peak, platformThreads());
      }
      threads.get(i).join(TimeUnit.SECONDS.toMillis(40));
    }
    assertThat(entries).hasValue(THREADS);
    assertThat(peak - before).isLessThan(30);
  }

  private static int platformThreads() {
    return Thread.getAllStackTraces().size(); // virtual ones are not among them
  }

  private void enter(LockRequest request) {
    try (var lease = client.locks().acquire(request)) {
      if (inside.incrementAndGet() == 1 && lease.isValid()) {
        entries.incrementAndGet();
      }
      inside.decrementAndGet();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
