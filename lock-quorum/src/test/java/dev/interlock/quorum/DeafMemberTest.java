package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockConfig;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.LockBackend;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A member whose server can be reached, and fails as its client begins to listen. */
@Timeout(60)
class DeafMemberTest {
  private final List<SteeredProvider.Steered> members = SteeredProvider.of("deaf", "deaf-", 3);

  @Test
  @DisplayName("M4 a member that is tried again and again keeps no connection of a try that failed")
  void closesWhatItOpened() throws Exception {
    SteeredProvider.Steered deaf = members.get(2);
    deaf.deaf(true);
    LockConfig config = LockConfig.parse(SteeredProvider.quorum("deaf-0", "deaf-1", "deaf-2"));
    try (LockBackend quorum = BackendContext.of(new ClientId("deaf", "test")).open(config)) {
      while (deaf.opened() < 3) {
        var unused = quorum.inspect("a"); // has it looked after
        TimeUnit.MILLISECONDS.sleep(5);
      }
      deaf.deaf(false);
      while (!((QuorumBackend) quorum).members().all().get(2).isLive()) {
        TimeUnit.MILLISECONDS.sleep(5);
      }
      assertThat(deaf.opened() - deaf.closed()).isEqualTo(1);
    }
    assertThat(deaf.closed()).isEqualTo(deaf.opened());
  }
}
