package dev.interlock.postgres;

import dev.interlock.contract.SilentWaitersContract;
import dev.interlock.contract.TestClient;
import dev.interlock.spi.HoldId;

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
    return Server.isListening(client);
  }

  @Override
  protected int asleep(HoldId... ids) {
    return CountedHoldsTest.passedOver(ids);
  }

  @Override
  protected long keptUntil(HoldId waiter) {
    return Long.parseLong(Server.shared()
        .execute("SELECT until_us FROM interlock_entry WHERE " + CountedHoldsTest.is(waiter)));
  }
}
