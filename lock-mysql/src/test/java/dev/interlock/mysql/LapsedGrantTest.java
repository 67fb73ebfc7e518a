package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.contract.TestClient;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A grant ends by the server's clock before its waiter has confirmed it. */
@Timeout(60)
class LapsedGrantTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  /** It would be granted anew, to nobody, for as long as its lease. */
  @Test
  void n3_aGrantThatIsToldToBeGoneIsNotInTheQueueAnyMore() throws Exception {
    String uri = Server.uri();
    try (TestClient one = Server.client(uri);
        TestClient two = Server.client(uri)) {
      Server.awaitListening(two);
      HoldId holder = one.id();
      HoldId lapsed = two.id();
      HoldId next = two.id();
      one.attempt("a", holder, Duration.ZERO);
      two.attempt("a", lapsed, LONG);
      two.attempt("a", next, LONG);
      one.release("a", holder);
      assertThat(two.granted("a", lapsed, LONG).id()).isEqualTo(lapsed);
      // As after a step of the clock.
      Server.shared()
          .execute("UPDATE interlock_lock SET until_us = until_us - 3000000 WHERE " + is(lapsed));

      assertThat(renewed(two, lapsed, false)).isInstanceOf(RenewalResult.Gone.class);
      assertThat(Server.shared()
              .execute("SELECT COUNT(*) FROM interlock_entry WHERE " + is(lapsed))
              .strip())
          .isEqualTo("0");
      assertThat(renewed(two, next, true)).isInstanceOf(Grant.class);
    }
  }

  private static String is(HoldId id) {
    return "client = " + id.high() + " AND hold = " + id.low();
  }

  private static RenewalResult renewed(TestClient client, HoldId id, boolean queued) {
    return RenewalAnswers.collect(
            client.backend, List.of(Renewal.of("a", id, TestClient.LEASE, queued)))
        .get(0);
  }
}
