package dev.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import org.junit.jupiter.api.Test;

class TckClockTest {
  private static final Duration OFFSET = Duration.ofHours(-30);

  @Test
  void every_way_to_ask_for_the_time_sees_the_clock_that_is_set_and_the_monotonic_one_goes_on()
      throws Exception {
    String[] seen = run(TckClock.argument()).split(" ");

    long expected = System.currentTimeMillis() + OFFSET.toMillis();
    assertThat(seen).hasSize(11);
    for (int i = 0; i < 10; i++) {
      assertThat(Long.parseLong(seen[i]))
          .as("way %s", i)
          .isBetween(expected - Duration.ofHours(1).toMillis(), expected);
    }
    assertThat(Long.parseLong(seen[10]))
        .as("nanoTime")
        .isBetween(0L, Duration.ofHours(1).toNanos());
  }

  @Test
  void a_clock_of_a_jvm_that_was_not_started_for_it_is_not_set() {
    assertThatThrownBy(() -> TckClock.set(OFFSET)).isInstanceOf(IllegalStateException.class);
  }

  private static String run(String argument) throws IOException {
    Process process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx64m",
            argument,
            "-cp",
            System.getProperty("java.class.path"),
            Asking.class.getName())
        .redirectErrorStream(true)
        .start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
  }

  /** The main class of a JVM whose clock is set. */
  static final class Asking {
    private Asking() {}

    @SuppressWarnings("JavaTimeDefaultTimeZone") // they are what is tested
    public static void main(String[] args) {
      long nanos = System.nanoTime();
      TckClock.set(OFFSET);
      ZoneId here = ZoneId.systemDefault();
      System.out.println(System.currentTimeMillis()
          + " " + Instant.now().toEpochMilli()
          + " " + Clock.systemUTC().millis()
          + " " + Clock.systemDefaultZone().millis()
          + " " + Clock.system(here).millis()
          + " " + LocalDateTime.now().atZone(here).toInstant().toEpochMilli()
          + " " + LocalDateTime.now(ZoneOffset.UTC).toInstant(ZoneOffset.UTC).toEpochMilli()
          + " " + ZonedDateTime.now().toInstant().toEpochMilli()
          + " " + ZonedDateTime.now(here).toInstant().toEpochMilli()
          + " " + ZonedDateTime.now(ZoneOffset.UTC).toInstant().toEpochMilli()
          + " " + (System.nanoTime() - nanos));
    }
  }
}
