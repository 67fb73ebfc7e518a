package dev.interlock.redis.setnx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.LockClient;
import dev.interlock.Locks;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads came with JDK 21")
@Timeout(120)
class VirtualThreadTest {
  private static final int THREADS = 10_000;

  private final AtomicInteger entries = new AtomicInteger();

  @ParameterizedTest(name = "{0} locks")
  @DisplayName("W7 ten thousand virtual threads all get their lock, on few threads and connections")
  @ValueSource(ints = {1, THREADS})
  void allGetIt(int locks) throws Exception {
    try (RedisServer server = TestRedis.start();
        LockClient client = Locks.open("redis-setnx://127.0.0.1:" + server.port())) {
      int before = platformThreads();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        DistributedLock lock = client.lock("n" + i % locks);
        Thread thread = virtualThreads().newThread(() -> enter(lock));
        thread.start();
        threads.add(thread);
      }
      int peak = 0;
      for (int i = 0; i < THREADS; i++) {
        if (i % 500 == 0) {
          peak = Math.max(peak, platformThreads());
        }
        threads.get(i).join(TimeUnit.SECONDS.toMillis(60));
      }
      assertThat(entries).hasValue(THREADS);
      assertThat(peak - before).isLessThan(30);
      assertThat(server.command("CLIENT", "LIST").lines()).hasSizeLessThan(20);
    }
  }

  private void enter(DistributedLock lock) {
    lock.lock();
    try {
      entries.incrementAndGet();
    } finally {
      lock.unlock();
    }
  }

  private static int platformThreads() {
    return Thread.getAllStackTraces().size(); // virtual ones are not among them
  }

  /** {@code Thread.ofVirtual().factory()}, which this module's Java 17 does not know. */
  private static ThreadFactory virtualThreads() throws ReflectiveOperationException {
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    Method factory = Class.forName("java.lang.Thread$Builder").getMethod("factory");
    return (ThreadFactory) factory.invoke(builder);
  }
}
