package dev.interlock.quorum.internal.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockException;
import dev.interlock.quorum.SteeredMembers;
import dev.interlock.quorum.internal.member.Member;
import dev.interlock.spi.Grant;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An attempt fails for want of a member that was left out, and is back before that is told. */
@Timeout(30)
class LeftOutMembersTest extends SteeredMembers {
  private static final int LEFT_OUT = 1;

  /** One that fails after more than 0.2 s is left out. */
  @BeforeEach
  void leaveOut() {
    members.get(LEFT_OUT).down(true);
    members.get(LEFT_OUT).before(() -> LockSupport.parkNanos(Member.SILENT.toNanos() / 3));
    assertThat(quorum.attempt(attempt("b"))).isInstanceOf(Grant.class);
    awaitLive(false);
  }

  private void awaitLive(boolean live) {
    while (isLive() != live) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  private boolean isLive() {
    return quorumMembers().all().get(LEFT_OUT).isLive();
  }

  private void comesBack() {
    members.get(LEFT_OUT).down(false);
    awaitLive(true);
  }

  private void assertNamesLeftOut() {
    assertThatThrownBy(() -> quorum.attempt(attempt()))
        .isInstanceOf(LockException.class)
        .hasMessageContaining("member 3: nobody listens")
        .hasMessageContaining("member 2 (steered): ");
  }

  @Test
  @DisplayName("Q3: it is named where no member has granted the lock")
  void isNamedWhereNobodyGrants() {
    members.get(0).down(true);
    members.get(2).down(true);
    members.get(2).before(this::comesBack);
    assertNamesLeftOut();
  }

  @Test
  @DisplayName("Q3: it is named where too few members have granted the lock")
  void isNamedWhereTooFewGrant() {
    members.get(2).down(true);
    members.get(2).before(this::comesBack);
    assertNamesLeftOut();
  }
}
