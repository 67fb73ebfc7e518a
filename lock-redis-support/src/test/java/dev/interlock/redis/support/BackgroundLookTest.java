package dev.interlock.redis.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.contract.Undisturbed;
import dev.interlock.redis.support.contract.Topologies;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When others are asked where things are. */
@Timeout(60)
class BackgroundLookTest {
  private static final Duration PAUSE = Duration.ofMillis(300);
  private static final Duration LONG = Duration.ofSeconds(20);

  private final BackgroundLook looks = new BackgroundLook("looks", PAUSE);
  private final List<Long> begun = new CopyOnWriteArrayList<>();

  private void look() {
    begun.add(System.nanoTime());
  }

  @Undisturbed(millis = 100)
  void whatIsWantedTooSoonIsDoneAtTheEndOfThePause() {
    looks.begin(this::look);
    looks.await(LONG);
    assertThat(begun).hasSize(1);

    for (int i = 0; i < 10; i++) {
      looks.begin(this::look);
    }

    Topologies.await(() -> begun.size() > 1);
    Topologies.await(() -> threads() == 0);
    assertThat(begun).as("one for all").hasSize(2);
    // The pause began a little before the work did.
    assertThat(Duration.ofNanos(begun.get(1) - begun.get(0))).isGreaterThan(PAUSE.dividedBy(2));
  }

  @Test
  void whatIsWantedDuringALookIsNotTakenForAnsweredByIt() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    looks.begin(() -> {
      asked.countDown();
      Topologies.await(() -> answered.getCount() == 0);
    });
    assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
    looks.begin(this::look);
    looks.begin(this::look);
    assertThat(begun).isEmpty();

    answered.countDown();

    Topologies.await(() -> !begun.isEmpty());
    Topologies.await(() -> threads() == 0);
    assertThat(begun).hasSize(1);
  }

  @Test
  void aLookThatFailsEndsNoneOfTheNextOnes() {
    for (Throwable failure :
        List.of(new IllegalStateException("as planned"), new OutOfMemoryError("as planned"))) {
      begun.clear();
      Topologies.await(() -> looks.isOlderThan(PAUSE));
      looks.begin(() -> {
        Thread.currentThread().setUncaughtExceptionHandler((thread, error) -> {});
        BackgroundLookTest.<RuntimeException>fail(failure);
      });
      looks.await(LONG);
      Topologies.await(() -> {
        looks.begin(this::look);
        return !begun.isEmpty();
      });
    }
  }

  @Test
  void E7_whatHasToWaitIsNotDoneAfterClose() {
    BackgroundLook rare = new BackgroundLook("looks", Duration.ofHours(1));
    rare.begin(this::look);
    rare.await(LONG);
    rare.begin(this::look);

    rare.close();

    Topologies.await(() -> threads() == 0);
    assertThat(begun).hasSize(1);
  }

  @Test
  void E7_nothingBeginsAfterClose() {
    looks.close();

    looks.begin(this::look);

    Topologies.await(() -> threads() == 0);
    assertThat(begun).isEmpty();
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("looks"))
        .count();
  }

  @SuppressWarnings("unchecked") // the compiler does not look through it
  private static <T extends Throwable> void fail(Throwable failure) throws T {
    throw (T) failure;
  }
}
