package dev.interlock.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfig;
import dev.interlock.LockRequest;
import dev.interlock.internal.running.Clocks;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.ClientId;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Leases that are over each time before the thread that asked for them goes on. */
@Timeout(60)
class ShortLeaseTest {
  private static final Duration LEASE = LockRequest.MIN_LEASE;

  private final AtomicBoolean granted = new AtomicBoolean();

  private EngineClient open() {
    StubProvider stub = new StubProvider() {
      @Override
      public synchronized AttemptResult attempt(Attempt attempt) {
        var unused = forceRelease(attempt.name(), 0); // what was granted before has run out
        granted.set(true);
        return super.attempt(attempt);
      }
    };
    LockConfig config = LockConfig.builder("stub").build();
    Terms terms = new Terms(stub.id(), stub.capabilities(config), false, Duration.ofSeconds(30));
    return new EngineClient(
        terms,
        config,
        new HoldIds(),
        new ClientId("short-lease-test", "here"),
        stub,
        Clocks.SYSTEM);
  }

  @ParameterizedTest(name = "W4 a wait of {0} ms ends though each lease is over before it is used")
  @ValueSource(ints = {0, 100})
  void endsInTime(int millis) throws InterruptedException {
    try (EngineClient client = open()) {
      Late late = new Late(client, Duration.ofMillis(millis));
      late.start();
      late.join(20_000);
      late.interrupt();
      late.join();
      assertThat(late.error).isExactlyInstanceOf(BackendUnavailableException.class);
    }
  }

  /** Is asked for its hash code when its hold is about to be entered, and takes its time. */
  private final class Late extends Thread {
    private final EngineClient client;
    private final Duration wait;
    private @Nullable Exception error;

    Late(EngineClient client, Duration wait) {
      this.client = client;
      this.wait = wait;
    }

    @Override
    public void run() {
      try {
        var unused = client.lock("x").tryLock(wait, LEASE);
      } catch (BackendUnavailableException | InterruptedException e) {
        error = e;
      }
    }

    @Override
    public int hashCode() {
      if (granted.getAndSet(false)) {
        long start = System.nanoTime();
        while (System.nanoTime() - start < 2 * LEASE.toNanos()) {
          Thread.onSpinWait();
        }
      }
      return System.identityHashCode(this);
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }
  }
}
