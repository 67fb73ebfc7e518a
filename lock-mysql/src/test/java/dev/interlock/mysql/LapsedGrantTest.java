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
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A grant ends by the server's clock before its waiter has confirmed it. */
@Timeout(60)
class LapsedGrantTest {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final String ENTRY = "interlock_entry WHERE ";

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
      // What is told only: an attempt would confirm it.
      assertThat(two.grants.poll(10, TimeUnit.SECONDS)).extracting(Grant::id).isEqualTo(lapsed);
      // As after a step of the clock.
      Server.shared()
          .execute("UPDATE interlock_lock SET until_us = 1 WHERE claimant <> 0 AND " + is(lapsed));
      assertThat(count("interlock_lock WHERE until_us = 1 AND " + is(lapsed))).isEqualTo("1");

      assertThat(renewed(two, lapsed, false)).isInstanceOf(RenewalResult.Gone.class);
      assertThat(count(ENTRY + is(lapsed))).isEqualTo("0");
      assertThat(renewed(two, next, true)).isInstanceOf(Grant.class);
    }
  }

  /** As that of a hold which one of several servers has lost, and given to another. */
  @Test
  void f1_thePlaceOfAHoldThatIsToBeHadAgainOutlastsItsRenewals() {
    String uri = Server.uri();
    try (TestClient one = Server.client(uri);
        TestClient two = Server.client(uri)) {
      HoldId holder = one.id();
      HoldId again = two.id();
      one.attempt("a", holder, Duration.ZERO);
      two.attempt("a", again, LONG);

      assertThat(renewed(two, again, false)).isInstanceOf(RenewalResult.Gone.class);
      assertThat(count(ENTRY + is(again))).isEqualTo("1");
    }
  }

  private static String count(String rows) {
    return Server.shared().execute("SELECT COUNT(*) FROM " + rows).strip();
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
