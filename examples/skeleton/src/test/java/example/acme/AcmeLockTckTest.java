package example.acme;

import dev.interlock.tck.LockTck;
import dev.interlock.tck.TckBackend;

/** Judges the backend by the rules of SPEC.md, in this JVM and in others that the kit forks. */
class AcmeLockTckTest extends LockTck {

  /** Start your server before all tests, and say here where it is. */
  @Override
  protected TckBackend backend() {
    return TckBackend.at("acme://localhost:4711");
  }
}
