package dev.interlock.redis.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.BackendRefusedException;
import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisErrorsTest {

  @ParameterizedTest
  @CsvSource({
    "LOADING Redis is loading the dataset in memory, LOADING",
    "NOAUTH, NOAUTH",
    "ERR unknown command, ERR",
    "WRONGTYPE Operation against a key script: ab12 on @user_script:38., WRONGTYPE",
    "ERR Error running script (call to f_ab): @user_script:38: WRONGTYPE Operation, WRONGTYPE",
    "ERR Error running script (call to f_ab): @user_script: 5: -READONLY You can't, READONLY",
    "ERR Error running script (call to f_ab): @user_script:4: @user_script: 4: -READONLY You can't "
        + "write against a read only replica., READONLY",
    "ERR Error running script (call to f_ab): @user_script:9: @user_script: 9: -OOM command not "
        + "allowed when used memory > 'maxmemory'., OOM",
    "ERR Error running script (call to f_ab): @user_script:9: @user_script: 9: -MISCONF Errors "
        + "writing to the AOF file: x, MISCONF",
    "ERR Error running script, ERR"
  })
  void theCodeIsFoundAlsoWhereItIsWrapped(String answer, String code) {
    assertThat(RedisErrors.code(answer)).isEqualTo(code);
  }

  /** As Redis 6.2 and Redis 8 say it: neither names NOPERM. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ERR Error running script (call to f_ab): @user_script:70: @user_script: 70: The user "
            + "executing the script can't run this command or subcommand",
        "ERR ACL failure in script: User u has no permissions to run the 'zadd' command script: "
            + "ab12, on @user_script:70."
      })
  void E3_aRightThatIsMissingWithinAScriptIsARefusal(String answer) {
    assertThat(RedisErrors.code(answer)).isEqualTo("NOPERM");
    assertThat(RedisErrors.concernsAll(answer)).isTrue();
    assertThat(RedisErrors.refused("acquire", "h:1", answer, null))
        .isInstanceOf(BackendRefusedException.class)
        .hasMessageContaining("rights (ACL)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"LOADING x", "READONLY x", "CLUSTERDOWN x", "OOM x", "NOPERM x", "WRONGPASS x"})
  void E4_whatMayWorkAnotherTimeIsUnavailability(String answer) {
    assertThat(RedisErrors.refused("acquire", "h:1", answer, null))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("h:1")
        .hasMessageContaining(answer);
  }

  @ParameterizedTest
  @CsvSource({
    "NOAUTH x, true",
    "WRONGPASS x, true",
    "NOPERM x, true",
    "OOM x, true",
    "MISCONF x, true",
    "LOADING x, false",
    "READONLY x, false",
    "MASTERDOWN x, false",
    "BUSY x, false",
    "NOREPLICAS x, false"
  })
  void E3_aServerThatIsUpAndRefusesIsToldFromOneThatIsNot(String answer, boolean refused) {
    assertThat(
            RedisErrors.refused("acquire", "h:1", answer, null) instanceof BackendRefusedException)
        .isEqualTo(refused);
  }

  @Test
  void E3_aConnectionThatIsRefusedForUserOrRightsIsARefusal() {
    IllegalStateException cause = new IllegalStateException();
    assertThat(RedisErrors.refusedConnection("h:1", "WRONGPASS x", cause))
        .isInstanceOf(BackendRefusedException.class)
        .hasMessageContaining("h:1 refused the connection: WRONGPASS x");
    assertThat(RedisErrors.refusedConnection("h:1", "ERR max number of clients reached", cause))
        .isExactlyInstanceOf(BackendUnavailableException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ERR Error running script (call to f_ab): @user_script:38: @user_script: 38: "
            + "Lua script attempted to access a non local key in a cluster node",
        "ERR Script attempted to access a non local key in a cluster node script: ab12, on "
            + "@user_script:38.",
        "ERR Attempted to access a non local key in a cluster node script: on @user_script:42."
      })
  void E2_aScriptThatEndsHalfwayHasAnUnknownOutcome(String answer) {
    assertThat(RedisErrors.refused("release", "h:1", answer, null))
        .isExactlyInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("slot");
  }

  @Test
  void whatNeverWorksIsFinal() {
    assertThat(RedisErrors.refused("acquire", "h:1", "WRONGTYPE x", null))
        .isExactlyInstanceOf(LockException.class)
        .hasMessageContaining("namespace");
    assertThat(RedisErrors.refused("acquire", "h:1", "ERR unknown command", null))
        .isExactlyInstanceOf(LockException.class);
  }
}
