package dev.interlock.compare.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.compare.facts.Fact;
import dev.interlock.compare.facts.Happening;
import dev.interlock.compare.figures.Figures;
import dev.interlock.compare.servers.Backend;
import dev.interlock.tck.Effort;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AgainTest {
  private static final ProviderReport OURS = provider("mysql", "embedded", false);
  private static final ProviderReport GIVEN = provider("redis-hash", Backend.GIVEN, false);
  private static final ProviderReport PEER = provider("redisson", "embedded", true);
  private static final ProviderReport FLOOR = ProviderReport.ofFloor("raw-redis", new Figures());

  @Test
  void a_cell_is_done_again_by_provider_rule_effort_and_seed() {
    Again again = again("compare", Effort.QUICK, 1);

    assertThat(again.cell(OURS, "L5"))
        .isEqualTo("./interlock compare --quick --providers mysql --rules L5 --seed 7");
    assertThat(again.column(OURS))
        .isEqualTo("./interlock compare --quick --providers mysql --seed 7");
  }

  @Test
  void a_peer_is_done_again_without_the_providers() {
    assertThat(again("compare", Effort.STANDARD, 1).cell(PEER, "W2"))
        .isEqualTo("./interlock compare --providers none --peers=redisson --rules W2 --seed 7");
  }

  @Test
  void a_given_server_is_named_without_what_may_be_secret() {
    assertThat(again("compare", Effort.FULL, 2.5).cell(GIVEN, "X1"))
        .isEqualTo("./interlock compare --full --time-scale 2.5 --providers redis-hash"
            + " --uri redis-hash=redis-hash://HOST --rules X1 --seed 7");
  }

  @Test
  void what_happened_is_done_again_alone() {
    Again again = again("compare", Effort.QUICK, 1);

    assertThat(again.fact(OURS, Happening.HOLDER_KILLED))
        .isEqualTo("./interlock compare --quick --providers mysql --facts holder-killed");
    assertThat(again.fact(PEER, Happening.MANY_WAITERS))
        .isEqualTo("./interlock compare --quick --providers none --peers=redisson"
            + " --facts many-waiters");
    assertThat(again.anyFact(Happening.IDLE))
        .as("each kind of provider has its own")
        .containsExactly(
            "./interlock compare --quick --providers ID --facts idle",
            "./interlock compare --quick --providers ID --uri ID=ID://HOST --facts idle",
            "./interlock compare --quick --providers none --peers=ID --facts idle");
    assertThat(again.anyFact(Happening.RIGHTS)).isEmpty();
  }

  @Test
  void the_whole_run_names_all_of_them() {
    assertThat(again("compare", Effort.QUICK, 1).all())
        .isEqualTo("./interlock compare --quick --providers mysql,redis-hash --peers=redisson"
            + " --uri redis-hash=redis-hash://HOST --seed 7");
  }

  @Test
  void a_floor_is_measured_by_the_whole_run_only() {
    Again again = again("compare", Effort.QUICK, 1);

    assertThat(again.column(FLOOR)).isEqualTo(again.all());
  }

  @Test
  void somebodys_provider_is_judged_again_by_the_other_command() {
    assertThat(again("tck", Effort.QUICK, 1).cell(OURS, "X1"))
        .isEqualTo("./interlock tck --classpath JAR --uri mysql://HOST --effort quick"
            + " --rules X1 --seed 7");
  }

  @Test
  void what_else_the_user_said_of_a_provider_is_said_again() {
    Map<String, String> waivers = new LinkedHashMap<>();
    waivers.put("M1", "ACME-1: it's \"late\"");
    waivers.put("F2", "no queue");
    Again again =
        again(new Circumstances("tck", 1, "17", "", "Linux", 2, 0, 0, true, waivers), Effort.FULL);
    String start = "./interlock tck --classpath JAR --uri mysql://HOST --effort full --in-one-jvm";
    String late = " --waive 'M1=ACME-1: it'\\''s \"late\"'";

    assertThat(again.cell(OURS, "X1")).isEqualTo(start + " --rules X1 --seed 7");
    assertThat(again.cell(OURS, "M1")).isEqualTo(start + late + " --rules M1 --seed 7");
    assertThat(again.all()).isEqualTo(start + late + " --waive 'F2=no queue' --seed 7");
    assertThat(again.column(OURS)).isEqualTo(again.all());
  }

  private static Again again(String command, Effort effort, double timeScale) {
    return again(
        new Circumstances(command, timeScale, "17", "", "Linux", 2, 0, 0, false, Map.of()), effort);
  }

  private static Again again(Circumstances machine, Effort effort) {
    return new Report(
            Instant.EPOCH,
            effort,
            7,
            Duration.ZERO,
            machine,
            List.of(OURS, GIVEN, PEER),
            List.of(FLOOR),
            Optional.empty())
        .again();
  }

  private static ProviderReport provider(String id, String origin, boolean isPeer) {
    return new ProviderReport(
            id, "1", "server", origin, Set.of(), List.of(), new Figures(), "", isPeer)
        .withFacts(List.of(Fact.failed(Happening.IDLE, "no luck")));
  }
}
