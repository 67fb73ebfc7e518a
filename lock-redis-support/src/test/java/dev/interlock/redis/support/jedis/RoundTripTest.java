package dev.interlock.redis.support.jedis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RoundTripTest {
  private static final long MICRO = 1_000;

  @Test
  void aServerNearbyHasFewSendersAlsoWhenTheMachineIsBusyNowAndThen() {
    RoundTrip roundTrip = new RoundTrip(16);
    assertThat(roundTrip.senders()).isEqualTo(4);
    for (int i = 0; i < 1_000; i++) {
      roundTrip.took(i % 10 == 0 ? 80 * MICRO : 1_500 * MICRO);
    }
    assertThat(roundTrip.senders()).isEqualTo(4);
  }

  @Test
  void aServerFarAwayHasMoreButNoMoreThanAllowed() {
    RoundTrip roundTrip = new RoundTrip(16);
    for (int i = 0; i < 1_000; i++) {
      roundTrip.took(1_000 * MICRO);
    }
    assertThat(roundTrip.senders()).isBetween(7, 8);
    for (int i = 0; i < 1_000; i++) {
      roundTrip.took(50_000 * MICRO);
    }
    assertThat(roundTrip.senders()).isEqualTo(16);
    roundTrip.took(100 * MICRO);
    assertThat(roundTrip.senders()).as("a short one is believed at once").isEqualTo(4);
  }
}
