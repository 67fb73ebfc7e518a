package dev.interlock.compare.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.tck.Evidence;
import dev.interlock.tck.Level;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OverlapTest {
  private static final String HOLDS = """
      # Interlock history 1
      # rule\tX1
      # provider\tacme 1
      # seed\t42
      # check\tOVERLAP\t
      lock\ta\t1\t1000000\t9000000\t5000000\t1\t1
      lock\tb\t2\t4000000\t11000000\t20000000\t1\t1
      """;

  @TempDir
  private Path directory;

  @Test
  void two_holds_of_a_history_are_drawn_on_one_axis_of_time() throws IOException {
    Overlap overlap = overlaps(HOLDS, Verdict.FAIL).get("X1");

    assertThat(overlap.drawing())
        .containsExactly(
            "\"lock\" is held by 2 at once from 3.000 to 4.000 ms",
            "|" + "=".repeat(24) + " ".repeat(36)
                + "|  a with token 1: 0.000 to 4.000 ms, then it called release",
            "|" + " ".repeat(18) + "=".repeat(42)
                + "|  b with token 2: 3.000 to 10.000 ms, then its lease was over",
            "|" + " ".repeat(18) + "!".repeat(6) + " ".repeat(36) + "|  at once");
    assertThat(String.join("", overlap.drawing())).isASCII();
  }

  @Test
  void a_short_overlap_is_still_to_be_seen() {
    Overlap overlap = new Overlap(
        "lock",
        List.of(
            new Overlap.Bar("a", 0, 0, 10_000, false),
            new Overlap.Bar("b", 0, 9999, 9999.5, true)));

    assertThat(overlap.drawing()).allMatch(line -> line.startsWith("\"") || line.charAt(61) == '|');
    assertThat(overlap.drawing().get(3)).contains("!");
    assertThat(overlap.widthOfBoth()).isPositive();
  }

  @Test
  void nothing_is_drawn_of_what_holds_of_what_passes_and_of_what_is_not_there() throws IOException {
    assertThat(overlaps(HOLDS, Verdict.PASS)).isEmpty();
    String apart = HOLDS.replace("\tb\t2\t4000000", "\tb\t2\t5000000");
    assertThat(overlaps(apart, Verdict.FAIL)).isEmpty();
    assertThat(overlaps("something else", Verdict.FAIL)).isEmpty();
    assertThat(Overlap.of(List.of(result(Verdict.FAIL, Optional.empty())))).isEmpty();
  }

  private Map<String, Overlap> overlaps(String history, Verdict verdict) throws IOException {
    Path file = Files.writeString(directory.resolve("acme-X1-42.tsv"), history);
    return Overlap.of(List.of(result(verdict, Optional.of(file))));
  }

  private static RuleResult result(Verdict verdict, Optional<Path> saved) {
    Evidence evidence = new Evidence(2, 42, Duration.ZERO, List.of(), "", List.of(), saved);
    return new RuleResult("X1", "a rule", Level.L1, verdict, evidence);
  }
}
