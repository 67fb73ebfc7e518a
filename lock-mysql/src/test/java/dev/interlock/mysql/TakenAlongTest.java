package dev.interlock.mysql;

import dev.interlock.contract.TakenAlongContract;
import dev.interlock.contract.TestClient;
import dev.interlock.testservers.MysqlFaults;

/** Attempts that a release takes along, or might, without the engine. */
class TakenAlongTest extends TakenAlongContract {
  private static final String PREFIX = "along_"; // tables that nobody else finds full

  private final String uri = Server.uri() + "&tablePrefix=" + PREFIX;
  private final MysqlFaults faults = MysqlFaults.of(Server.shared(), PREFIX);

  @Override
  protected TestClient client() {
    return Server.client(uri);
  }

  @Override
  protected void full(boolean on) {
    faults.full(on);
  }
}
