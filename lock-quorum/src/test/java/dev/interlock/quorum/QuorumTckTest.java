package dev.interlock.quorum;

import dev.interlock.tck.LockTck;
import dev.interlock.tck.TckBackend;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

/** The rules of SPEC.md over several servers; what is done to the server is done to all of them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class QuorumTckTest extends LockTck {
  private final TestMembers members;

  /** Starts one server for each of these providers. */
  QuorumTckTest(String... providers) {
    members = TestMembers.start(providers);
  }

  @AfterAll
  void stopServers() throws Exception {
    members.close();
  }

  @Override
  protected TckBackend backend() {
    return TckBackend.over(members.quorum("&longestLease=P365D"))
        .countWith(members::entries)
        .timeScale(2.0);
  }
}
