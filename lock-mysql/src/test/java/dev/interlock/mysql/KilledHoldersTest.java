package dev.interlock.mysql;

import dev.interlock.contract.KilledHoldersContract;

/** Permits and readers' locks of JVMs that are killed. */
class KilledHoldersTest extends KilledHoldersContract {
  private static final String URI = Server.uri();

  @Override
  protected String uri() {
    return URI;
  }
}
