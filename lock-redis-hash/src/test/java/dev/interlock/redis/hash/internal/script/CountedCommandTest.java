package dev.interlock.redis.hash.internal.script;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.redis.support.ScriptCall;
import io.lettuce.core.protocol.AsyncCommand;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether a command may have run before, or only have come late. */
class CountedCommandTest {
  private final AsyncCommand<byte[], byte[], byte[]> command =
      ScriptCommand.byDigest(new ScriptCall(Scripts.INSPECT));

  private void send() {
    command.encode(Unpooled.buffer());
  }

  private void refuse(String answer) {
    command.getOutput().setError(ByteBuffer.wrap(answer.getBytes(UTF_8)));
  }

  @Test
  void whatWasSentOnceHasNotRunBefore() {
    assertThat(CountedCommand.mayHaveRun(command)).isFalse();
    send();
    assertThat(CountedCommand.mayHaveRun(command)).isTrue();
    assertThat(CountedCommand.mayHaveRunBefore(command)).isFalse();
    assertThat(CountedCommand.wasRepeated(command)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"MOVED 1 127.0.0.1:7000", "ASK 1 127.0.0.1:7000"})
  void whatANodeReferredToAnotherOneHasNotRunThere(String answer) {
    send();
    refuse(answer);
    assertThat(CountedCommand.mayHaveRun(command)).isFalse();
    send();
    assertThat(CountedCommand.mayHaveRunBefore(command)).isFalse();
    assertThat(CountedCommand.wasRepeated(command)).as("it comes late").isTrue();
  }

  @Test
  void whatWasRepeatedAndThenReferredToAnotherNodeMayHaveRunBefore() {
    send();
    send();
    refuse("MOVED 1 127.0.0.1:7000");
    send();
    assertThat(CountedCommand.mayHaveRunBefore(command)).isTrue();
  }

  @Test
  void whatAnotherServerDidNotKnowTheSecondTimeMayHaveRunBefore() {
    send();
    send();
    refuse("NOSCRIPT No matching script.");
    assertThat(CountedCommand.mayHaveRunBefore(command)).isTrue();
  }
}
