package dev.interlock.tck.internal.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.tck.internal.history.Operation.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryFileTest {
  private static final Hold FIRST = new Hold("lock", "a", 1, 5_000, 6_000, 5_500);
  private static final Hold OPEN = new Hold("lock", "b", 2, 5_400, 7_000, Hold.NEVER);
  private static final Operation CALL =
      new Operation(Kind.ACQUIRED, "lock", "a", 1, -7_000, -6_500);
  private static final Operation UNANSWERED =
      new Operation(Kind.REFUSED, "lock", "b", 0, -6_900, Long.MAX_VALUE);

  @TempDir
  private Path directory;

  @Test
  void whatIsReadIsWhatWasWrittenWithTimesFromTheFirst() throws IOException {
    HistoryFile read = written(
        History.ofOverlaps(List.of(OPEN, FIRST)),
        History.ofTokens(List.of()),
        History.ofCalls(List.of(CALL, UNANSWERED)));

    assertThat(read.rule()).isEqualTo("X1");
    assertThat(read.provider()).isEqualTo("acme 1.0");
    assertThat(read.seed()).isEqualTo(-42);
    assertThat(read.histories())
        .containsExactly(
            History.ofOverlaps(List.of(
                new Hold("lock", "b", 2, 400, 2_000, Hold.NEVER),
                new Hold("lock", "a", 1, 0, 1_000, 500))),
            History.ofTokens(List.of()),
            History.ofCalls(List.of(
                new Operation(Kind.ACQUIRED, "lock", "a", 1, 0, 500),
                new Operation(Kind.REFUSED, "lock", "b", 0, 100, Long.MAX_VALUE))));
  }

  @Test
  void theFileIsTextThatSaysWhatIsInIt() throws IOException {
    written(History.ofOverlaps(List.of(FIRST)), History.ofCalls(List.of(CALL)));

    assertThat(Files.readString(directory.resolve("X1.tsv"))).isEqualTo("""
            # Interlock history 1
            # rule\tX1
            # provider\tacme 1.0
            # seed\t-42
            # check\tOVERLAP\tholds of different owners do not overlap
            # name\towner\ttoken\tacquired\tuntil\treleased\tunits\tcapacity
            lock\ta\t1\t0\t1000\t500\t1\t1
            # check\tCALLS\tan order of the calls explains their answers
            # kind\tname\towner\ttoken\tcalled\treturned
            ACQUIRED\tlock\ta\t1\t0\t500
            """);
  }

  @Test
  void itIsJudgedAsBefore() throws IOException {
    List<History> histories = List.of(
        History.ofOverlaps(List.of(FIRST, OPEN)),
        History.ofTokens(List.of(OPEN, new Hold("lock", "c", 2, 8_000, 9_000, 8_500))),
        History.ofTokens(List.of(FIRST, OPEN)),
        History.ofCalls(List.of(CALL, new Operation(Kind.ACQUIRED, "lock", "c", 2, -6_000, 0))));
    HistoryFile read = written(histories.toArray(History[]::new));

    assertThat(read.histories().stream().map(History::judge))
        .usingElementComparator(Comparator.comparing(Judgement::answer)
            .thenComparing(judgement -> judgement.lines().toString()))
        .containsExactlyElementsOf(histories.stream().map(History::judge).toList());
    assertThat(read.histories().get(0).judge().lines().get(0)).contains("a and b at once");
    assertThat(read.histories().get(1).judge().lines().get(0)).contains("2 came after 2");
    assertThat(read.histories().get(2).judge().lines()).isEmpty();
    assertThat(read.histories().get(3).judge().lines()).hasSize(3);
  }

  @Test
  void anyTextCanStandInAColumn() throws IOException {
    String odd = "a\tb\\n\nc \\ \u00e9\r#";
    Hold hold = new Hold(odd, odd, 1, 0, 10, 5);

    assertThat(written(History.ofOverlaps(List.of(hold))).histories().get(0).holds())
        .containsExactly(hold);
  }

  @Test
  void whatIsSomethingElseIsRefused() throws IOException {
    String title = "# Interlock history 1\n# seed\t1\n";
    for (String text : List.of(
        "",
        "something",
        title + "a row before any check",
        title + "# check\tNONE\twords\n",
        title + "# check\tOVERLAP\twords\nlock\ta\t1\t0\t10\n",
        title + "# check\tOVERLAP\twords\nlock\ta\t1\t0\tten\t5\n",
        title + "# check\tOVERLAP\twords\nlock\\x\ta\t1\t0\t10\t5\n",
        "# Interlock history 1\n# check\tOVERLAP\twords\n")) {
      Path file = Files.writeString(directory.resolve("other"), text);
      assertThatThrownBy(() -> HistoryFile.read(file)).as(text).isInstanceOf(IOException.class);
    }
  }

  @Test
  void itHasAsManyEntriesAsHoldsOrCalls() {
    assertThat(History.ofTokens(List.of(FIRST, OPEN)).size()).isEqualTo(2);
    assertThat(History.ofCalls(List.of(CALL)).size()).isEqualTo(1);
  }

  private HistoryFile written(History... histories) throws IOException {
    Path file = directory.resolve("X1.tsv");
    new HistoryFile("X1", "acme 1.0", -42, List.of(histories)).write(file);
    return HistoryFile.read(file);
  }
}
