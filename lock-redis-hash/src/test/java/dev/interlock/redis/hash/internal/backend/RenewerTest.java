package dev.interlock.redis.hash.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.BackendRefusedException;
import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a renewal is said to have failed with. */
class RenewerTest {

  /** Who follows the advice for keys of other software would end a sound hold. */
  @ParameterizedTest
  @CsvSource({
    "READONLY You can't write against a read only replica.,UNAVAILABLE",
    "OOM command not allowed,REFUSED",
    "ERR Script attempted to access a non local key in a cluster node script: x,UNKNOWN",
    "WRONGTYPE Operation against a key,FOREIGN",
    "user_script:9: not a lock of this version,FOREIGN"
  })
  void E9_onlyWhatCannotBeReadIsTakenForThatOfOtherSoftware(String why, Kind kind) {
    LockException failure = Renewer.failure("host:1", "n", why);

    assertThat(failure).isExactlyInstanceOf(kind.type).hasMessageContainingAll("lock 'n'", why);
    assertThat(String.valueOf(failure.getMessage()).contains("forceRelease"))
        .isEqualTo(kind == Kind.FOREIGN);
  }

  enum Kind {
    UNAVAILABLE(BackendUnavailableException.class),
    REFUSED(BackendRefusedException.class),
    UNKNOWN(OutcomeUnknownException.class),
    FOREIGN(LockException.class);

    private final Class<? extends LockException> type;

    Kind(Class<? extends LockException> type) {
      this.type = type;
    }
  }
}
