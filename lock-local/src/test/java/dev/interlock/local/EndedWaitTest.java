package dev.interlock.local;

import dev.interlock.contract.EndedWaitContract;

/** A wait that has ended leaves nothing that the lock could be granted to. */
class EndedWaitTest extends EndedWaitContract {
  @Override
  protected String uri() {
    return "local://?namespace=EndedWaitTest";
  }
}
