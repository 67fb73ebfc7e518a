package dev.interlock.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Attempts that a release takes along, or might, without the engine. */
@Timeout(60)
public abstract class TakenAlongContract {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int PACE = 15;

  /** An attempt that waits for a release takes more than so many times one that waits for none. */
  private static final int MANY = 5;

  private TestClient one;
  private TestClient two;

  /** For subclasses. */
  protected TakenAlongContract() {}

  /** A client: of the same locks each time, in tables that no other test has. */
  protected abstract TestClient client();

  /** Has the tables refuse new rows, or take them again. */
  protected abstract void full(boolean on);

  @BeforeEach
  void open() {
    one = client();
    two = client();
  }

  @AfterEach
  void close() {
    full(false);
    one.close();
    two.close();
  }

  private static Attempt attempt(String name, HoldId id) {
    return Attempt.of(name, id, "owner", TestClient.LEASE).withFair(true).withPatience(PATIENCE);
  }

  @Test
  void a1_anAttemptOfAThreadThatMakesThoseOfOthersTooWaitsForNoRelease() throws Exception {
    two.attempt("a", two.id(), Duration.ZERO);
    two.attempt("alone", two.id(), Duration.ZERO);
    one.attempt("a", one.id(), PATIENCE);
    for (int i = 0; i < 40; i++) {
      one.release("a", one.id());
      Thread.sleep(PACE);
    }
    long prompt = Long.MAX_VALUE;
    long alone = Long.MAX_VALUE;
    for (int i = 0; i < 10; i++) {
      prompt = Math.min(prompt, nanosToQueue(attempt("a", one.id()).withPrompt(true)));
      HoldId first = one.id(); // behind nobody of its client, so it waits for no release
      alone = Math.min(alone, nanosToQueue(attempt("alone", first)));
      one.backend.abandon("alone", first);
    }
    assertThat(prompt).isLessThan(MANY * alone);
  }

  private long nanosToQueue(Attempt attempt) {
    long start = System.nanoTime();
    assertThat(one.backend.attempt(attempt)).isInstanceOf(AttemptResult.Queued.class);
    return System.nanoTime() - start;
  }

  @Test
  void e10_aFullServerFreesALockWithoutTheAttemptThatWasToGoAlong() throws Exception {
    HoldId held = one.id();
    HoldId waiter = two.id();
    HoldId next = one.id();
    one.attempt("a", held, Duration.ZERO);
    assertThat(two.attempt("a", waiter, PATIENCE)).isInstanceOf(AttemptResult.Queued.class);
    full(true);

    ReleaseResult released =
        HandOffBackend.release(one.backend, Release.of("a", held).withNext(attempt("a", next)));

    assertThat(released.held()).isTrue();
    assertThat(released.next()).isNull();
    assertThat(two.granted("a", waiter, PATIENCE)).extracting(Grant::id).isEqualTo(waiter);
    assertThat(two.backend.inspect("a").orElseThrow().waiters()).isZero();
  }
}
