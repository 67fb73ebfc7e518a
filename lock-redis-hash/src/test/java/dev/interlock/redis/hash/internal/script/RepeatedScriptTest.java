package dev.interlock.redis.hash.internal.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.redis.hash.internal.connection.Connections;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.ScriptCall;
import dev.interlock.redis.support.contract.FakeRedis;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.protocol.ProtocolVersion;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What an application's client sends again after a reconnect: the server may have executed it the
 * first time.
 */
@Timeout(60)
class RepeatedScriptTest {
  /** The time and nothing else: so a script answers that came too late. */
  private static final String TOO_LATE = "$4\r\n1000\r\n";

  private static final String NOT_FOUND = "$6\r\n1000 0\r\n";
  private static final String CUT = "";

  /** What scripts are answered, one after the other. */
  private final Queue<String> answers = new ConcurrentLinkedQueue<>();

  private String answer(List<String> command) {
    return switch (command.get(0)) {
      case "EVALSHA", "EVAL" -> answers.remove();
      case "PING" -> "+PONG\r\n";
      default -> "+OK\r\n";
    };
  }

  private void afterAnswers(List<String> given, Consumer<ScriptRunner> test) throws IOException {
    answers.addAll(given);
    try (FakeRedis server = new FakeRedis(command -> {
      String answer = answer(command);
      return answer.equals(CUT) ? null : answer;
    })) {
      RedisClient redis = RedisClient.create("redis://" + server.host());
      redis.setOptions(
          ClientOptions.builder().protocolVersion(ProtocolVersion.RESP2).build());
      try (Connections connections = Connections.of(redis)) {
        test.accept(new ScriptRunner(
            connections.open(), connections, new Clocks(false), Duration.ofSeconds(30)));
      } finally {
        redis.shutdown();
      }
    }
    assertThat(answers).as("answers that are left").isEmpty();
  }

  private static Answer release(ScriptRunner runner) {
    ScriptCall call =
        new ScriptCall(Scripts.RELEASE).on(new KeyLayout("t").keys("n")).withDeadline();
    return runner.run("release", "n", call);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-OOM command not allowed when used memory > 'maxmemory'.\r\n",
        "-READONLY You can't write against a read only replica.\r\n",
        "-LOADING Redis is loading the dataset in memory\r\n",
        "-NOPERM this user has no permissions\r\n",
        "-ERR unknown command\r\n"
      })
  void E3_whatIsRefusedTheSecondTimeMayHaveRunTheFirstTime(String refusal) throws Exception {
    afterAnswers(
        List.of(CUT, refusal),
        runner -> assertThatThrownBy(() -> release(runner))
            .isInstanceOf(OutcomeUnknownException.class)
            .hasMessageContaining(
                "refused to release lock 'n': " + refusal.substring(1).strip()));
  }

  @Test
  void E3_whatIsRefusedTheFirstTimeHasNotRun() throws Exception {
    afterAnswers(
        List.of("-LOADING Redis is loading the dataset in memory\r\n"),
        runner -> assertThatThrownBy(() -> release(runner))
            .isInstanceOf(BackendUnavailableException.class));
  }

  @Test
  void E3_whatCameTooLateTheSecondTimeMayHaveRunTheFirstTime() throws Exception {
    afterAnswers(
        List.of(CUT, TOO_LATE, TOO_LATE),
        runner -> assertThatThrownBy(() -> release(runner))
            .isInstanceOf(OutcomeUnknownException.class)
            .hasMessageContaining("twice because it ran too late"));
  }

  @Test
  void E3_whatOnlyCameTooLateHasNotRun() throws Exception {
    afterAnswers(
        List.of(TOO_LATE, TOO_LATE),
        runner -> assertThatThrownBy(() -> release(runner))
            .isInstanceOf(BackendUnavailableException.class));
  }

  /** Else a release that found nothing then would be told as a loss. */
  @Test
  void E2_anAnswerAfterOneThatCameTooLateTellsThatTheFirstTimeMayHaveCounted() throws Exception {
    afterAnswers(
        List.of(CUT, TOO_LATE, NOT_FOUND),
        runner -> assertThat(release(runner).isRepeated()).isTrue());
  }
}
