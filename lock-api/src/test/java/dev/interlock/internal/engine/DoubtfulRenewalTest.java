package dev.interlock.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.LockConfig;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.contract.Undisturbed;
import dev.interlock.internal.running.Clocks;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.Uninterruptibly;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;

/** A renewal because events may have been lost, which the server runs, and does not answer. */
@Timeout(15)
class DoubtfulRenewalTest {
  private static final Duration LEASE = Duration.ofSeconds(2);

  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch unanswered = new CountDownLatch(1);
  private BackendEvents events = BackendEvents.IGNORED;

  /** Each renewal lasts until the test has it fail. */
  private final StubProvider stub = new StubProvider() {
    @Override
    public void subscribe(BackendEvents engine) {
      events = engine;
    }

    @Override
    public synchronized void renew(List<Renewal> batch, RenewalAnswers answers) {
      asked.countDown();
      var unused = Uninterruptibly.await(() -> unanswered.await(30, TimeUnit.SECONDS));
      throw new OutcomeUnknownException("no answer");
    }
  };

  @Undisturbed(millis = 100)
  @DisplayName("L6 a lease that ends here is removed where an answer is missing, also one in doubt")
  void isRemoved() throws Exception {
    LockConfig config = LockConfig.builder("stub").build();
    try (EngineClient client = new EngineClient(
        new Terms(stub.id(), stub.capabilities(config), false, LEASE),
        config,
        new HoldIds(),
        new ClientId("doubtful-renewal-test", "here"),
        stub,
        Clocks.SYSTEM)) {
      DistributedLock lock = client.lock("x");
      assertThat(lock.tryLock(Duration.ZERO, LEASE)).isTrue();
      lock.lock(); // which is renewed while it lasts
      events.inDoubt();
      asked.await();
      lock.unlock();
      unanswered.countDown();

      while (stub.inspect("x").isPresent()) { // its leases never run out
        TimeUnit.MILLISECONDS.sleep(1);
      }
      assertThat(lock.isHeldByCurrentThread()).isFalse();
    }
  }
}
