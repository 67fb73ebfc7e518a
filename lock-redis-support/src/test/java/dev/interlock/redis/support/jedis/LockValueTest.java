package dev.interlock.redis.support.jedis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.spi.HoldId;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LockValueTest {
  private static final HoldId ID = new HoldId(1, -2);

  @ParameterizedTest
  @CsvSource({"owner, host", "'', ''", "'a b 7 ', 'größe 3'", "\uD83D\uDD12, '7 '"})
  void whatIsWrittenIsRead(String owner, String host) {
    LockValue value = new LockValue(
        ID, 1_763_712_576_000_000L, 16, Instant.ofEpochSecond(1_763_712_576, 12_000), owner, host);
    assertThat(LockValue.parse(value.encode())).contains(value);
  }

  @Test
  void theHoldIdComesFirst() {
    LockValue value = new LockValue(ID, 7, 1, Instant.ofEpochSecond(5, 6_000), "me", "here");
    assertThat(value.encode())
        .asString(UTF_8)
        .isEqualTo("0000000000000001fffffffffffffffe 7 1 5 6 4 hereme");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1",
        "0000000000000001fffffffffffffffe",
        "0000000000000001fffffffffffffffe 7 1 5 6",
        "0000000000000001fffffffffffffffe 7 1 5 6 40 hereme",
        "0000000000000001fffffffffffffffe 7 1 5 6 -1 hereme",
        "0000000000000001fffffffffffffffe x 1 5 6 4 hereme",
        "0000000000000001fffffffffffffffg 7 1 5 6 4 hereme"
      })
  void aValueOfOtherSoftwareIsNotRead(String text) {
    assertThat(LockValue.parse(text.getBytes(UTF_8))).isEmpty();
  }
}
