package dev.interlock.mysql;

import dev.interlock.contract.KilledHoldersContract;
import org.junit.jupiter.api.Tag;

/** Permits and readers' locks of JVMs that are killed. */
@Tag("thorough")
class KilledHoldersTest extends KilledHoldersContract {
  private static final String URI = Server.uri();

  @Override
  protected String uri() {
    return URI;
  }
}
