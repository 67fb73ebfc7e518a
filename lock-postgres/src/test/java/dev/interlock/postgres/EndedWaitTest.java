package dev.interlock.postgres;

import dev.interlock.contract.EndedWaitContract;

/** A wait that has ended leaves nothing that the lock could be granted to. */
class EndedWaitTest extends EndedWaitContract {
  private static final String URI = Server.uri();

  @Override
  protected String uri() {
    return URI;
  }
}
