package dev.interlock.local;

import dev.interlock.contract.ReadersAndWritersContract;

/** Hundreds of readers and some writers in one queue. */
class ReadersAndWritersTest extends ReadersAndWritersContract {
  @Override
  protected String uri() {
    return "local://?namespace=ReadersAndWritersTest";
  }
}
