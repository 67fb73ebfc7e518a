package dev.interlock.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.testservers.PostgresServer;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Attempts that come together are put into the queue by one step, or not at all. */
@Timeout(60)
class AppendTest {
  private static final String NOTHING = "0";

  private final PostgresServer server = Server.shared();
  private final String lock = "'" + Server.freshNamespace() + ":a'::bytea";

  @BeforeEach
  void createTables() {
    Server.client(Server.uri()).close();
  }

  /** However a step went, the row knows how many entries there are. */
  @AfterEach
  void entriesAreCounted() {
    assertThat(server.execute("SELECT entries FROM interlock_lock WHERE lock_key = " + lock))
        .isEqualTo(server.execute("SELECT COUNT(*) FROM interlock_entry WHERE lock_key = " + lock));
  }

  @Test
  void f1_behindAHolderTheyStandInTheirOrderBehindThoseWhoWait() {
    assertThat(operate(7, 1, 0)).isEqualTo("1");
    assertThat(operate(8, 2, 30)).isEqualTo("2");
    assertThat(append(7, 3, 4, 5)).isEqualTo("2");
    assertThat(append(8, 6, 7)).isEqualTo("2");
    assertThat(operate(7, 8, 30)).isEqualTo("2");
    assertThat(queue()).isEqualTo("2 3 4 5 6 7 8");
  }

  @Test
  void f1_aFreeLockGoesToTheFirstAndTheOthersWaitInTheirOrder() {
    assertThat(append(7, 3, 4, 5)).isEqualTo("1");
    assertThat(holder()).isEqualTo("3");
    assertThat(queue()).isEqualTo("4 5");
    server.execute("UPDATE interlock_lock SET until_us = 0 WHERE lock_key = " + lock);
    server.execute("DELETE FROM interlock_entry WHERE lock_key = " + lock);
    server.execute("UPDATE interlock_lock SET entries = 0 WHERE lock_key = " + lock);
    assertThat(append(7, 6)).isEqualTo("1");
    assertThat(queue()).isEmpty();
  }

  @Test
  void f1_aFreeLockOfWhichTheHeadHasNotBeenServedIsLeftAlone() {
    operate(7, 1, 0);
    operate(8, 2, 30);
    server.execute("UPDATE interlock_lock SET until_us = 1 WHERE lock_key = " + lock);
    assertThat(append(7, 3, 4)).isEqualTo(NOTHING);
    assertThat(queue()).isEqualTo("2");
  }

  @Test
  void e1_whoStandsThereOrHoldsTheLockAlreadyIsLeftToTheOrdinaryStep() {
    operate(7, 1, 0);
    operate(7, 2, 30);
    assertThat(append(7, 3, 2)).isEqualTo(NOTHING);
    assertThat(append(7, 3, 1)).isEqualTo(NOTHING);
    assertThat(queue()).isEqualTo("2");
    assertThat(append(8, 1, 2)).as("of another client").isEqualTo("2");
  }

  @Test
  void c1_aLockThatIsSharedIsLeftAlone() {
    server.execute("SELECT state FROM interlock_operate(" + lock
        + ", 7, NULL, 1, 'o', false, 'h', 60000000, 1, 0, 1, 5, NULL)");
    assertThat(append(7, 3, 4)).isEqualTo(NOTHING);
    assertThat(queue()).isEmpty();
  }

  @Test
  void w1_aReleaseGrantsToTheHeadAndNotToThoseWhoComeAlong() {
    operate(7, 1, 0);
    operate(8, 2, 30);
    String call = "CALL interlock_release_all(" + lock + ", 7, ARRAY[%d]::bigint[], " + line(3, 4)
        + ", NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)";
    assertThat(server.execute(call.formatted(1))).startsWith("t\t");
    assertThat(holder()).isEqualTo("2");
    assertThat(queue()).isEqualTo("2 3 4");
    assertThat(server.execute(call.formatted(1))).as("once more").startsWith("f\t");
    assertThat(queue()).isEqualTo("2 3 4");
  }

  private String operate(int client, int hold, int staySeconds) {
    return server.execute("SELECT state FROM interlock_operate(" + lock + ", " + client + ", NULL, "
        + hold + ", 'o', false, 'h', 60000000, 1, " + staySeconds * 1_000_000 + ")");
  }

  private String append(int client, int... holds) {
    return server.execute(
        "SELECT state FROM interlock_append(" + lock + ", " + client + ", " + line(holds) + ")");
  }

  private static String line(int... holds) {
    String ids = Arrays.stream(holds).mapToObj(Integer::toString).collect(Collectors.joining(","));
    return "'h', ARRAY[" + ids + "]::bigint[], " + all(holds, "'6f'") + "::text[], "
        + all(holds, "60000000") + "::bigint[], " + all(holds, "1") + "::int[], "
        + all(holds, "30000000") + "::bigint[]";
  }

  private static String all(int[] holds, String value) {
    return "ARRAY[" + Arrays.stream(holds).mapToObj(hold -> value).collect(Collectors.joining(","))
        + "]";
  }

  private String holder() {
    return server.execute(
        "SELECT hold FROM interlock_lock WHERE until_us > 1 AND lock_key = " + lock);
  }

  private String queue() {
    return server.execute("SELECT COALESCE(STRING_AGG(hold::text, ' ' ORDER BY ticket), '')"
        + " FROM interlock_entry WHERE waits AND lock_key = " + lock);
  }
}
