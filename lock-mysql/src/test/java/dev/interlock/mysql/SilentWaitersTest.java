package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.contract.SilentWaitersContract;
import dev.interlock.contract.TestClient;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Waiters that keep others out of a lock that is shared, alive and silent, without the engine. */
class SilentWaitersTest extends SilentWaitersContract {
  @Override
  protected String uri() {
    return Server.uri();
  }

  @Override
  protected TestClient client(String uri) {
    return Server.client(uri);
  }

  @Override
  protected boolean isListening(TestClient client) {
    return CountedHoldsTest.listens(client);
  }

  @Override
  protected int asleep(HoldId... ids) {
    return CountedHoldsTest.passedOver(ids);
  }

  @Override
  protected long keptUntil(HoldId waiter) {
    return Long.parseLong(CountedHoldsTest.untilOf(waiter));
  }

  @Test
  void r2_whoHasJustConnectedHoldsNobodysSilenceAgainstIt() throws InterruptedException {
    HoldId reader = held(one, 1, ALL);
    HoldId writer = waiting(two, 1, 1);
    HoldId behind = waiting(one, 1, ALL);
    TimeUnit.SECONDS.sleep(3);
    try (TestClient fresh = Server.client(uri)) {
      waiting(fresh, 1, ALL);
    }
    assertThat(asleep(writer)).isZero();
    assertThat(look(one, behind)).isInstanceOf(Grant.class);
    assertThat(asleep(writer)).isEqualTo(1);
    one.release("a", reader);
  }
}
