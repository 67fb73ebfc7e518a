package dev.interlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LockRequestTest {

  @Test
  @DisplayName("X4 names that are empty, too long, with NUL or not Unicode are refused at the call")
  void refusesNames() {
    assertThatThrownBy(() -> LockRequest.of("")).hasMessage("name is empty");
    assertThatThrownBy(() -> LockRequest.of("a\0b")).hasMessage("name contains NUL");
    assertThatThrownBy(() -> LockRequest.of("a\ud800b")).hasMessage("name is not valid Unicode");
    assertThatThrownBy(() -> LockRequest.of("\u00e4".repeat(513)))
        .hasMessage("name has 1026 bytes in UTF-8: at most 1024 are allowed");
    assertThat(LockRequest.of("\u00e4".repeat(512)).name()).hasSize(512);
  }

  @Test
  @DisplayName("L4 a lease below 10 ms or above 365 days is refused, not rounded")
  void refusesLeases() {
    LockRequest request = LockRequest.of("x");
    assertThatThrownBy(() -> request.withLease(Duration.ofNanos(500_000)))
        .hasMessage("lease is PT0.0005S: it must be from PT0.01S to PT8760H");
    assertThatThrownBy(() -> request.withLease(Duration.ofDays(366)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> request.withWait(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  @DisplayName("each method returns a changed copy")
  void copies() {
    LockRequest plain = LockRequest.of("x");
    LockRequest full = plain
        .withWait(Duration.ofSeconds(1))
        .withLease(Duration.ofSeconds(2))
        .withOwner("me")
        .fair(true)
        .renewing();

    assertThat(plain).isEqualTo(LockRequest.of("x"));
    assertThat(plain.isRenewing()).isTrue();
    assertThat(plain.withLease(Duration.ofSeconds(2)).isRenewing()).isFalse();
    assertThat(full.isRenewing()).isTrue();
    assertThat(full)
        .hasToString(
            "LockRequest[name=x, wait=PT1S, lease=PT2S, owner=me, fair=true, renewing=true, amount=EXCLUSIVE]")
        .isNotEqualTo(plain)
        .isEqualTo(full.withOwner("me"))
        .hasSameHashCodeAs(full.withOwner("me"));
  }
}
