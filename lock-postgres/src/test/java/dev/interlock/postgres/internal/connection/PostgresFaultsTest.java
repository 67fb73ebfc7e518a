package dev.interlock.postgres.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.BackendRefusedException;
import dev.interlock.LockConfigurationException;
import dev.interlock.OutcomeUnknownException;
import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** What an error of the server is told as. */
class PostgresFaultsTest {

  @ParameterizedTest
  @CsvSource({
    "53100, true", // the disk is full
    "53300, false", // too many connections
    "40001, false",
    "25006, false", // read-only, as after a failover
    "57P03, false", // starts
    "08006, false"
  })
  void E3_aServerThatIsUpAndRefusesIsToldFromOneThatIsNot(String state, boolean refused) {
    assertThat(
            PostgresFaults.FAULTS.translate("acquire", new SQLException("x", state), false)
                instanceof BackendRefusedException)
        .isEqualTo(refused);
  }

  /** Ended by an administrator, since it was idle, and since its transaction took too long. */
  @ParameterizedTest
  @ValueSource(strings = {"57P01", "57P05", "25P04"})
  void E3_aSessionThatTheServerEndsLeavesTheOutcomeOpenAndIsNotUsedAgain(String state) {
    SQLException error = new SQLException("x", state);
    assertThat(PostgresFaults.FAULTS.translate("acquire", error, true))
        .isInstanceOf(OutcomeUnknownException.class);
    assertThat(PostgresFaults.FAULTS.isConnectionUseless(error)).isTrue();
  }

  /** The server's messages may be in any language, and the context of an error with them. */
  @ParameterizedTest
  @ValueSource(strings = {"function p(bytea) line 30 at", "Funktion p(bytea) Zeile 30 bei"})
  void E2_whatMetAMissingRightBehindTheCommitOfAReleaseIsUnknown(String where) {
    String context = where.replace("p(", "interlock_release_all(");
    assertThat(PostgresFaults.FAULTS.translate("release", denied(context + " PERFORM"), true))
        .isInstanceOf(OutcomeUnknownException.class);
    assertThat(PostgresFaults.FAULTS.translate("release", denied(context + " x"), true))
        .isInstanceOf(LockConfigurationException.class);
  }

  private static SQLException denied(String context) {
    return new PSQLException(
        new ServerErrorMessage("SERROR\0C42501\0Mpermission denied\0W" + context + "\0"));
  }

  @ParameterizedTest
  @CsvSource({"28P01, true", "53300, false", "08001, false"})
  void E3_soIsOneThatLetsNobodyIn(String state, boolean refused) {
    SQLException error = new SQLException("pool", new SQLException("x", state));
    assertThat(
            PostgresFaults.FAULTS.noConnection("acquire", error) instanceof BackendRefusedException)
        .isEqualTo(refused);
  }
}
