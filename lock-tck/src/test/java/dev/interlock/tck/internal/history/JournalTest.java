package dev.interlock.tck.internal.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a hold is noted, and how it survives the holder. */
class JournalTest {
  @TempDir
  private Path directory;

  @Test
  void aHoldBeginsWhenAcquireHasReturnedAndIsValidForWhatRemains() {
    long before = System.nanoTime();
    Hold hold = Hold.begin("a", lease(Duration.ofMillis(500), true), true);
    long after = System.nanoTime();

    assertThat(hold.name()).isEqualTo("lock");
    assertThat(hold.owner()).isEqualTo("a");
    assertThat(hold.token()).isEqualTo(7);
    assertThat(hold.acquired()).isBetween(before, after);
    assertThat(hold.until() - hold.acquired()).isEqualTo(500_000_000);
    assertThat(hold.released()).isEqualTo(Hold.NEVER);
    assertThat(Hold.begin("a", lease(Duration.ofMillis(500), true), false).token())
        .isZero();
  }

  @Test
  void aRenewedLeaseIsValidAtItsReleaseAndALostOneOnlyAsLongAsWasKnown() {
    Hold begun = new Hold("lock", "a", 7, 0, 10, Hold.NEVER);
    long before = System.nanoTime();
    Hold renewed = begun.end(lease(Duration.ofMillis(1), true));
    Hold lost = begun.end(lease(Duration.ZERO, false));
    long after = System.nanoTime();

    assertThat(renewed.released()).isBetween(before, after);
    assertThat(renewed.until()).isEqualTo(renewed.released());
    assertThat(lost.released()).isBetween(before, after);
    assertThat(lost.until()).isEqualTo(10);
    Hold longer = new Hold("lock", "a", 7, 0, Long.MAX_VALUE, Hold.NEVER);
    assertThat(longer.end(lease(Duration.ofMillis(1), true)).until()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void ofAHoldThatWasEnteredTwiceTheEndCountsAndOneThatWasNotEndedIsThere() throws IOException {
    Hold first = new Hold("lock", "a hold 1", 1, 0, 10, Hold.NEVER);
    Hold ended = new Hold("lock", "a hold 1", 1, 0, 10, 5);
    Hold open = new Hold("lock", "b hold 1", 2, 6, 20, Hold.NEVER);
    try (Journal journal = Journal.open(directory.resolve("one"))) {
      journal.enter(first);
      journal.enter(ended);
    }
    try (Journal journal = Journal.open(directory.resolve("other"))) {
      journal.enter(open);
    }

    assertThat(Journal.readAll(directory)).containsExactlyInAnyOrder(ended, open);
  }

  @Test
  void aLineThatACrashHasCutOffIsLeftOut() throws IOException {
    Hold whole = new Hold("lock", "a hold 1", 1, 0, 10, 5);
    Path file = directory.resolve("one");
    try (Journal journal = Journal.open(file)) {
      journal.enter(whole);
    }
    Files.writeString(file, "lock\ta hold 2\t2\t1", StandardOpenOption.APPEND);

    assertThat(Journal.readAll(directory)).isEqualTo(List.of(whole));
  }

  private static Lease lease(Duration remaining, boolean valid) {
    return (Lease) Proxy.newProxyInstance(
        Lease.class.getClassLoader(),
        new Class<?>[] {Lease.class},
        (proxy, method, arguments) -> switch (method.getName()) {
          case "name" -> "lock";
          case "fencingToken" -> 7L;
          case "remaining" -> remaining;
          case "isValid" -> valid;
          default -> throw new UnsupportedOperationException(method.getName());
        });
  }
}
