package dev.interlock.mysql.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.BackendRefusedException;
import dev.interlock.BackendUnavailableException;
import dev.interlock.OutcomeUnknownException;
import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an error of the server is told as. */
class MysqlFaultsTest {

  @ParameterizedTest
  @CsvSource({
    "HY000, 1114, true", // the table is full
    "HY000, 1021, true", // the disk is full
    "40001, 1213, false",
    "HY000, 1290, false", // read-only, as after a failover
    "08S01, 1053, false", // shuts down
    "HY000, 0, false" // of the driver
  })
  void E3_aServerThatIsUpAndRefusesIsToldFromOneThatIsNot(String state, int code, boolean refused) {
    assertThat(
            MysqlFaults.FAULTS.translate("acquire", new SQLException("x", state, code), false)
                instanceof BackendRefusedException)
        .isEqualTo(refused);
  }

  @ParameterizedTest
  @CsvSource({
    "40000, 3101", // a group's certification, at the commit
    "HY000, 1615", // a prepared statement, while somebody flushes tables
    "HY000, 1412" // a transaction, while somebody changes the table
  })
  void E4_whatTheServerRolledBackAndWouldDoNowIsDoneAgain(String state, int code) {
    SQLException error = new SQLException("x", state, code);
    assertThat(MysqlFaults.FAULTS.isPassing(error, true)).isTrue();
    assertThat(MysqlFaults.FAULTS.translate("release", error, true))
        .isInstanceOf(BackendUnavailableException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "HY000, 1180", // during the commit
    "HY000, 3100", // a member that its group has put out, likewise
    "70100, 1969", // a packet took too long, behind its commit or before
    "HY000, 3024" // likewise
  })
  void E3_whatMayStandAlthoughItFailedIsUnknown(String state, int code) {
    SQLException error = new SQLException("x", state, code);
    assertThat(MysqlFaults.FAULTS.translate("release", error, true))
        .isInstanceOf(OutcomeUnknownException.class);
    assertThat(MysqlFaults.FAULTS.translate("inspect", error, false))
        .isNotInstanceOf(OutcomeUnknownException.class);
  }

  /**
   * Anything that is unknown has the second code: a client would do without being woken for good.
   */
  @ParameterizedTest
  @CsvSource({
    "1235, This version does not yet support GET_LOCK in cluster (WSREP_ON=ON), true",
    "1105, Percona-XtraDB-Cluster prohibits use of GET_LOCK with pxc_strict_mode = ENFORCING, true",
    "1105, prohibited by PXC_STRICT_MODE, true",
    "1105, Unknown error, false",
    "1213, GET_LOCK, false"
  })
  void E9_aServerWithoutUserLocksIsToldFromOneWithAnUnknownError(
      int code, String message, boolean without) {
    assertThat(MysqlFaults.hasNoUserLocks(new SQLException(message, "HY000", code)))
        .isEqualTo(without);
  }

  @ParameterizedTest
  @CsvSource({"28000, 1045, true", "08004, 1040, false", "08S01, 0, false"})
  void E3_soIsOneThatLetsNobodyIn(String state, int code, boolean refused) {
    SQLException error = new SQLException("pool", new SQLException("x", state, code));
    assertThat(MysqlFaults.FAULTS.noConnection("acquire", error) instanceof BackendRefusedException)
        .isEqualTo(refused);
  }
}
