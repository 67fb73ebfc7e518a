package dev.interlock.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Locks;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.contract.TestClient;
import dev.interlock.spi.HoldId;
import dev.interlock.testservers.PostgresServer;
import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The server commits a release, and then meets an error before it has told of the grant. */
@Timeout(60)
class UntoldReleaseTest {
  private final PostgresServer server = Server.shared();

  /** No room, no room on the disk, cancelled, lock timeout, deadlock. */
  @ParameterizedTest
  @ValueSource(strings = {"54000", "53100", "57014", "55P03", "40P01"})
  void e2_theReleaseStandsAndIsUnknownToTheClient(String state) throws Exception {
    String prefix = "untold_" + state.toLowerCase(Locale.ROOT) + "_";
    String uri = server.uri() + "?schema=create&namespace=" + Server.freshNamespace()
        + "&tablePrefix=" + prefix;
    Locks.open(uri).close();
    String procedure =
        server.execute("SELECT PG_GET_FUNCTIONDEF('" + prefix + "release_all'::regproc)");
    server.execute(procedure.replace(
        "PERFORM PG_NOTIFY(",
        "RAISE 'it is not told' USING ERRCODE = '" + state + "'; PERFORM PG_NOTIFY("));
    try (TestClient one = Server.client(uri);
        TestClient two = Server.client(uri)) {
      HoldId held = one.id();
      one.attempt("a", held, Duration.ZERO);
      two.attempt("a", two.id(), Duration.ofSeconds(30));
      assertThatThrownBy(() -> one.release("a", held)).isInstanceOf(OutcomeUnknownException.class);
      assertThat(one.release("a", held).held()).as("repeated").isFalse();
    }
  }
}
