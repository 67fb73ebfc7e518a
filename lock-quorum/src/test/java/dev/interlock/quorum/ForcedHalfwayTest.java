package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HoldInfo;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Grant;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ForcedHalfwayTest extends SteeredMembers {
  private long held() {
    long token = ((Grant) quorum.attempt(attempt())).fencingToken();
    // Where it is raised on the first member, that is not waited for.
    while (first.inspect(NAME).map(HoldInfo::fencingToken).orElse(0L) < token) {
      LockSupport.parkNanos(1_000_000);
    }
    return token;
  }

  @Test
  @DisplayName("E3 a forced release that took the lock on too few members does not say that nothing"
      + " was changed")
  void isUnknown() {
    long token = held();
    members.get(1).refusesForce(true);
    members.get(2).refusesForce(true);
    assertThatThrownBy(() -> quorum.forceRelease(NAME, token))
        .isExactlyInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("member 2: force is refused")
        .hasMessageContaining("member 3: force is refused");
    assertThat(first.inspect(NAME)).isEmpty();
  }

  @Test
  @DisplayName("E3 one that no member has run does")
  void isRefused() {
    long token = held();
    members.forEach(member -> member.refusesForce(true));
    assertThatThrownBy(() -> quorum.forceRelease(NAME, token))
        .isExactlyInstanceOf(BackendUnavailableException.class);
    assertThat(first.inspect(NAME)).isPresent();
  }
}
