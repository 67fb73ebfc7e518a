package dev.interlock.tck.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.ProviderInfo;
import dev.interlock.tck.Verdict;
import dev.interlock.tck.internal.history.History;
import dev.interlock.tck.internal.history.HistoryFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArchiveTest {
  private static final List<History> HISTORIES = List.of(History.ofOverlaps(List.of()));

  @TempDir
  private Path directory;

  @Test
  void whatDoesNotHoldIsSavedUnderProviderRuleAndSeed() throws IOException {
    for (Verdict verdict : List.of(Verdict.FAIL, Verdict.INCONCLUSIVE)) {
      Path file =
          save(new Archive(directory.resolve("new"), false), verdict, HISTORIES).orElseThrow();
      assertThat(file).isEqualTo(directory.resolve("new/acme-X1-42.tsv"));
      assertThat(HistoryFile.read(file))
          .isEqualTo(new HistoryFile("X1", "acme 1.0", 42, HISTORIES));
    }
  }

  @Test
  void whatHoldsIsSavedOnRequestOnly() throws IOException {
    for (Verdict verdict : List.of(Verdict.PASS, Verdict.NOT_CLAIMED)) {
      assertThat(save(new Archive(directory, false), verdict, HISTORIES)).isEmpty();
      assertThat(directory).isEmptyDirectory();
    }
    assertThat(save(new Archive(directory, true), Verdict.PASS, HISTORIES)).isPresent();
  }

  @Test
  void nothingIsSavedWithoutADirectoryOrAHistory() throws IOException {
    assertThat(save(Archive.NONE, Verdict.FAIL, HISTORIES)).isEmpty();
    assertThat(save(new Archive(directory, true), Verdict.FAIL, List.of())).isEmpty();
    assertThat(directory).isEmptyDirectory();
  }

  private static Optional<Path> save(Archive archive, Verdict verdict, List<History> histories)
      throws IOException {
    ProviderInfo provider = new ProviderInfo("acme", "1.0", Set.of(), "here");
    return archive.save(provider, "X1", verdict, 42, histories);
  }
}
