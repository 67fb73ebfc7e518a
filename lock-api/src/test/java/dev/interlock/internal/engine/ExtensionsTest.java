package dev.interlock.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Lease;
import dev.interlock.LockConfig;
import dev.interlock.LockRequest;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.internal.running.BackendCalls;
import dev.interlock.internal.running.Clocks;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An extension whose answer comes on a thread of the backend, which does not wait for that one. */
@Timeout(60)
class ExtensionsTest {
  private static final Duration LEASE = Duration.ofMinutes(1);

  private final StubProvider stub = new StubProvider();
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch locked = new CountDownLatch(1);

  @Test
  @DisplayName("N4 an extension is not confirmed before its answer has been taken in")
  void isTakenIn() throws Exception {
    LockConfig config = LockConfig.builder("stub").build();
    Terms terms = new Terms(stub.id(), stub.capabilities(config), false, Duration.ofSeconds(30));
    try (EngineClient client = new EngineClient(
        terms,
        config,
        new HoldIds(),
        new ClientId("extensions-test", "here"),
        backend(),
        Clocks.SYSTEM)) {
      Lease lease = client.acquire(LockRequest.of("x").withLease(LEASE));
      FutureTask<Boolean> extension = new FutureTask<>(() -> lease.extend(LEASE.multipliedBy(2)));
      start(extension);
      asked.await();
      synchronized (remote(client)) { // without it no answer is taken in
        locked.countDown();
        assertThatThrownBy(() -> extension.get(30, TimeUnit.SECONDS))
            .hasCauseInstanceOf(OutcomeUnknownException.class);
        assertThat(lease.remaining()).isLessThan(LEASE);
      }
      while (lease.remaining().compareTo(LEASE) < 0) {
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  /** The stub, which answers renewals on a thread that has come to where it takes them in. */
  private LockBackend backend() {
    return (LockBackend) Proxy.newProxyInstance(
        ExtensionsTest.class.getClassLoader(),
        new Class<?>[] {LockBackend.class},
        (proxy, method, arguments) -> {
          if (!method.getName().equals("renew")) {
            return method.invoke(stub, arguments);
          }
          asked.countDown();
          locked.await();
          @SuppressWarnings("unchecked")
          List<Renewal> batch = (List<Renewal>) arguments[0];
          Thread answering = start(() -> stub.renew(batch, (RenewalAnswers) arguments[1]));
          while (answering.getState() != Thread.State.BLOCKED) {
            LockSupport.parkNanos(1_000_000);
          }
          TimeUnit.NANOSECONDS.sleep(2 * BackendCalls.QUICK_FAULT); // or it is asked for once more
          return null;
        });
  }

  private static Thread start(Runnable work) {
    Thread thread = new Thread(work, "extensions-test");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static RemoteHold remote(EngineClient client) throws ReflectiveOperationException {
    Field holds = EngineClient.class.getDeclaredField("holds");
    holds.setAccessible(true);
    return ((Holds) holds.get(client)).all().get(0).remote();
  }
}
