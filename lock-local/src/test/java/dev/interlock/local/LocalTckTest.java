package dev.interlock.local;

import dev.interlock.tck.LockTck;
import dev.interlock.tck.TckBackend;

/** The reference provider keeps every rule that needs no server. */
class LocalTckTest extends LockTck {
  @Override
  protected TckBackend backend() {
    // Twice the time: build machines are slow and shared.
    return TckBackend.at("local://").inOneJvm().timeScale(2.0);
  }
}
