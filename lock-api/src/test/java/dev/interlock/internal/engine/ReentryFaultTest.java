package dev.interlock.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Capability;
import dev.interlock.DistributedLock;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.contract.Undisturbed;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.LockClients;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;

/** Re-entries that need more lease, while the server refuses to extend any. */
@Timeout(20)
class ReentryFaultTest {
  private static final Duration LONG = Duration.ofSeconds(10); // less than half of a renewed lease

  private volatile long refusedUntil = System.nanoTime();
  private final AtomicInteger attempts = new AtomicInteger();

  /** Fair, so that each waiter asks on its own. */
  private final StubProvider stub = new StubProvider() {
    @Override
    public Set<Capability> capabilities(LockConfig config) {
      return EnumSet.of(Capability.RENEWABLE, Capability.FENCED, Capability.FAIR);
    }

    @Override
    public boolean fairByDefault(LockConfig config) {
      return true;
    }

    @Override
    public synchronized AttemptResult attempt(Attempt attempt) {
      attempts.incrementAndGet();
      return super.attempt(attempt);
    }

    @Override
    public synchronized void renew(List<Renewal> batch, RenewalAnswers answers) {
      if (System.nanoTime() - refusedUntil < 0) {
        throw new BackendUnavailableException("for the test");
      }
      super.renew(batch, answers);
    }
  };

  private final LockClient client =
      LockClients.open(stub, LockConfig.builder("stub").build(), context -> stub);
  private final DistributedLock lock = client.lock("x");

  @AfterEach
  void close() {
    client.close();
  }

  private void refuseFor(Duration time) {
    refusedUntil = System.nanoTime() + time.toNanos();
  }

  @Undisturbed(millis = 1000)
  @DisplayName("E4 a re-entry that needs more lease outlasts a fault, as any wait does")
  void isPatient() throws Exception {
    assertThat(lock.tryLock(Duration.ZERO, LONG)).isTrue();
    long token = lock.lease().fencingToken();
    refuseFor(Duration.ofSeconds(1));
    lock.lock();
    assertThat(lock.holdCount()).isEqualTo(2);
    assertThat(lock.lease().fencingToken()).isEqualTo(token);
    assertThat(attempts).as("it does not queue behind itself").hasValue(1);
  }

  @Undisturbed(millis = 1000)
  @DisplayName(
      "W4 E3 within its limit: a single attempt ends at once, a longer wait with the fault")
  void isBounded() throws Exception {
    assertThat(lock.tryLock(Duration.ZERO, LONG)).isTrue();
    refuseFor(Duration.ofMinutes(1));
    assertThatThrownBy(lock::tryLock).isInstanceOf(BackendUnavailableException.class);
    long start = System.nanoTime();
    assertThatThrownBy(() -> lock.tryLock(500, TimeUnit.MILLISECONDS))
        .isInstanceOf(BackendUnavailableException.class);
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isBetween(Duration.ofMillis(500), Duration.ofSeconds(3));
    assertThat(lock.holdCount()).isEqualTo(1);
  }

  @Undisturbed(millis = 200)
  @DisplayName("W3 one whose hold ends meanwhile takes the lock anew")
  void takesAnew() throws Exception {
    assertThat(lock.tryLock(Duration.ZERO, Duration.ofMillis(500))).isTrue();
    long token = lock.lease().fencingToken();
    refuseFor(Duration.ofMinutes(1));
    lock.lock();
    assertThat(lock.holdCount()).isEqualTo(1);
    assertThat(lock.lease().fencingToken()).isGreaterThan(token);
  }
}
