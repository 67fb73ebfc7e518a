package dev.interlock.compare.facts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockClient;
import dev.interlock.compare.peers.Clients;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RightsCycleTest {
  private static final String URI = "local://";

  @Test
  void a_lease_that_is_lost_once_is_tried_again_before_it_counts() throws Exception {
    AtomicInteger looks = new AtomicInteger();

    assertThat(RightsCycle.run(URI, () -> {
          if (looks.incrementAndGet() == 1) {
            force();
          }
        }))
        .isEmpty();
    assertThat(looks).hasValue(2);
  }

  @Test
  void a_lease_that_does_not_stay_valid_is_seen() throws Exception {
    assertThat(RightsCycle.run(URI, RightsCycleTest::force)).contains("LeaseLostException");
  }

  private static void force() {
    try (LockClient operator = Clients.open(URI)) {
      assertThat(operator.forceRelease(RightsCycle.NAME)).isTrue();
    }
  }
}
