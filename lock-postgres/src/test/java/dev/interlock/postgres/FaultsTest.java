package dev.interlock.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.BackendRefusedException;
import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an error of the server is told as. */
class FaultsTest {

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
            Faults.translate("acquire", new SQLException("x", state), false)
                instanceof BackendRefusedException)
        .isEqualTo(refused);
  }

  @ParameterizedTest
  @CsvSource({"28P01, true", "53300, false", "08001, false"})
  void E3_soIsOneThatLetsNobodyIn(String state, boolean refused) {
    SQLException error = new SQLException("pool", new SQLException("x", state));
    assertThat(Faults.noConnection("acquire", error) instanceof BackendRefusedException)
        .isEqualTo(refused);
  }
}
