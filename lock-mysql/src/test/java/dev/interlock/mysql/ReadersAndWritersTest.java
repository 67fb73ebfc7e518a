package dev.interlock.mysql;

import dev.interlock.contract.ReadersAndWritersContract;

/** A long queue of readers and writers. */
class ReadersAndWritersTest extends ReadersAndWritersContract {
  @Override
  protected String uri() {
    return Server.uri();
  }
}
