package dev.interlock.redis.support;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.spi.HoldId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MailboxMessageTest {
  private static final HoldId ID = new HoldId(1, -2);

  @ParameterizedTest
  @ValueSource(strings = {"a", "", " ", "1 2 3 x", "w", "{x}:lock:y", "\n", "\uD83D\uDD12 größe"})
  void whatIsWrittenIsRead(String name) {
    for (MailboxMessage message : new MailboxMessage[] {
      new MailboxMessage.Wake(name, ID), new MailboxMessage.Revoked(name, ID)
    }) {
      assertThat(MailboxMessage.parse(message.encode())).contains(message);
    }
  }

  @Test
  void theFormatIsThatOfTheScripts() {
    assertThat(new MailboxMessage.Wake("n", ID).encode())
        .asString(UTF_8)
        .isEqualTo("w0000000000000001fffffffffffffffen");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "w",
        "w0000000000000001fffffffffffffff",
        "x0000000000000001fffffffffffffffen",
        "w000000000000000 fffffffffffffffen"
      })
  void anythingElseIsNoMessage(String text) {
    assertThat(MailboxMessage.parse(text.getBytes(UTF_8))).isEmpty();
  }
}
