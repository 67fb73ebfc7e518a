package dev.interlock.mysql.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.BackendRefusedException;
import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an error of the server is told as. */
class FaultsTest {

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
            Faults.translate("acquire", new SQLException("x", state, code), false)
                instanceof BackendRefusedException)
        .isEqualTo(refused);
  }

  @ParameterizedTest
  @CsvSource({"28000, 1045, true", "08004, 1040, false", "08S01, 0, false"})
  void E3_soIsOneThatLetsNobodyIn(String state, int code, boolean refused) {
    SQLException error = new SQLException("pool", new SQLException("x", state, code));
    assertThat(Faults.noConnection("acquire", error) instanceof BackendRefusedException)
        .isEqualTo(refused);
  }
}
