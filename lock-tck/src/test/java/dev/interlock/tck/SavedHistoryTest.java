package dev.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SavedHistoryTest {
  @TempDir
  private Path directory;

  @Test
  void eachCheckSaysWhatItFinds() throws IOException {
    StringBuilder text = new StringBuilder("# Interlock history 1\n");
    text.append("# rule\tX1\n# provider\tacme 1.0\n# seed\t42\n");
    text.append("# check\tOVERLAP\t\nlock\ta\t1\t0\t9\t9\t1\t1\nlock\tb\t2\t8\t20\t20\t1\t1\n");
    text.append("# check\tTOKEN_ORDER\t\nlock\ta\t1\t0\t9\t9\t1\t1\n");
    // So many at once that the search for an order is given up.
    text.append("# check\tCALLS\t\n");
    for (int i = 1; i <= 24; i++) {
      text.append("ACQUIRED\tlock\t%d\t%d\t0\t1000\n".formatted(i, 25 - i));
      text.append("RELEASED\tlock\t%d\t0\t0\t1000\n".formatted(i));
    }
    text.append("REFUSED\tlock\tnobody\t0\t2000\t2001\n");
    SavedHistory saved = SavedHistory.read(Files.writeString(directory.resolve("X1.tsv"), text));

    assertThat(saved.rule()).isEqualTo("X1");
    assertThat(saved.provider()).isEqualTo("acme 1.0");
    assertThat(saved.seed()).isEqualTo(42);
    assertThat(saved.judge())
        .extracting(SavedHistory.Part::verdict)
        .containsExactly(Verdict.FAIL, Verdict.PASS, Verdict.INCONCLUSIVE);
    assertThat(saved.judge()).extracting(SavedHistory.Part::entries).containsExactly(2, 1, 49);
    assertThat(saved.judge())
        .extracting(SavedHistory.Part::check)
        .containsExactly(
            "holds of different owners do not overlap",
            "tokens grow from hold to hold",
            "an order of the calls explains their answers");
    assertThat(saved.judge().get(0).lines()).hasSize(5);
    assertThat(saved.judge().get(1).lines()).isEmpty();
    assertThat(saved.violation())
        .containsExactly(
            new SavedHistory.Span("lock", "a", 1, Duration.ZERO, Duration.ofNanos(9), true),
            new SavedHistory.Span("lock", "b", 2, Duration.ofNanos(8), Duration.ofNanos(20), true));
  }

  @Test
  void aHistoryThatIsInOrderHasNothingToDraw() throws IOException {
    String text = """
        # Interlock history 1
        # rule\tX1
        # provider\tacme 1.0
        # seed\t42
        # check\tOVERLAP\t
        lock\ta\t1\t0\t9\t9\t1\t1
        lock\tb\t2\t9\t20\t20\t1\t1
        """;

    SavedHistory saved = SavedHistory.read(Files.writeString(directory.resolve("X1.tsv"), text));

    assertThat(saved.violation()).isEmpty();
  }

  @Test
  void aFileThatIsNotThereIsAnError() {
    assertThatThrownBy(() -> SavedHistory.read(directory.resolve("none")))
        .isInstanceOf(NoSuchFileException.class);
  }
}
