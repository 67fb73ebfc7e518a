package dev.interlock.redis.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ServerClockTest {
  @Test
  @DisplayName("E6 a command for a server whose clock is not known comes too late, also as text")
  void refusesWhatIsSentToUnknownClock() {
    String now = Long.toString(System.currentTimeMillis() * 1_000);
    for (long sent : new long[] {System.nanoTime(), System.nanoTime() + 9_000_000_000_000L}) {
      long notAfter = new ServerClock().notAfterMicros(sent, Duration.ofSeconds(2));
      assertThat(Long.toString(notAfter)).hasSameSizeAs(now).isLessThan(now);
    }
  }

  @Test
  @DisplayName(
      "E6 a command may run from its sending until its time is over, by the server's clock")
  void countsFromSending() {
    ServerClock clock = new ServerClock();
    clock.learn(5_000_000, 1_795_000_000_000_000L);
    assertThat(clock.notAfterMicros(7_000_000, Duration.ofSeconds(2)))
        .isEqualTo(1_795_000_002_002_000L);
  }
}
