package dev.interlock.tck;

import dev.interlock.tck.teststore.Fault;
import dev.interlock.tck.teststore.StoreServer;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The kit as a backend's author uses it, over a sound store that has all, and several JVMs. */
@Tag("thorough")
class SoundStoreTest extends LockTck {
  private static StoreServer server;

  @BeforeAll
  static void start() throws IOException {
    server = StoreServer.start(Fault.NONE);
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @Override
  protected TckBackend backend() {
    return TckBackend.at(server.countedUri())
        .countWith(server::entries)
        .faults(server)
        .timeScale(2.0);
  }
}
