package dev.interlock.postgres;

import dev.interlock.contract.CountedHoldsContract;
import dev.interlock.contract.TestClient;
import dev.interlock.spi.HoldId;
import java.util.stream.Stream;

/** Readers, writers and permits as the server grants them, without the engine. */
class CountedHoldsTest extends CountedHoldsContract {
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
  protected void runsOut(HoldId id) {
    Server.shared()
        .execute("UPDATE interlock_entry SET until_us = 1 WHERE NOT waits AND " + is(id));
    Server.shared()
        .execute("UPDATE interlock_lock SET until_us = 1 WHERE until_us > 0 AND " + is(id));
  }

  @Override
  protected int asleep(HoldId... ids) {
    return passedOver(ids);
  }

  static int passedOver(HoldId... ids) {
    return Stream.of(ids)
        .mapToInt(id -> Integer.parseInt(Server.shared()
            .execute("SELECT COUNT(*) FROM interlock_entry WHERE waits AND asleep AND " + is(id))))
        .sum();
  }

  @Override
  protected long kept(TestClient client) {
    return Long.parseLong(Server.shared()
        .execute(
            "SELECT COUNT(*) FROM interlock_entry WHERE client = " + client.id().high()));
  }

  static String is(HoldId id) {
    return "client = " + id.high() + " AND hold = " + id.low();
  }
}
