package dev.interlock.tck;

import dev.interlock.tck.internal.history.History;
import dev.interlock.tck.internal.history.HistoryFile;
import dev.interlock.tck.internal.history.Judgement;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * What several JVMs did in the test of a rule, as a run of the kit has saved it. It can be judged
 * again, and gives the same. Immutable.
 *
 * <p>The file is text in UTF-8: for each hold or call a row in columns that a tab separates, with
 * times in nanoseconds since the first. Lines that begin with # say what the rows are.
 */
public final class SavedHistory {
  private final HistoryFile file;

  private SavedHistory(HistoryFile file) {
    this.file = file;
  }

  /**
   * What a check says of the history.
   *
   * @param check what must be so
   * @param entries how many holds or calls it looked at
   * @param verdict PASS, FAIL, or INCONCLUSIVE if the search took too long
   * @param lines the shortest part that shows a violation, in words; else none
   */
  public record Part(String check, int entries, Verdict verdict, List<String> lines) {

    /** Copies the list. */
    public Part {
      lines = List.copyOf(lines);
    }
  }

  /**
   * Reads a file.
   *
   * @param file as in {@link Evidence#saved()}
   * @return what is in it
   * @throws IOException if it cannot be read, or is something else
   */
  public static SavedHistory read(Path file) throws IOException {
    return new SavedHistory(HistoryFile.read(file));
  }

  /**
   * Returns the rule that was tested.
   *
   * @return its id
   */
  public String rule() {
    return file.rule();
  }

  /**
   * Returns the provider that was checked.
   *
   * @return its id and version
   */
  public String provider() {
    return file.provider();
  }

  /**
   * Returns the seed of the run.
   *
   * @return as in {@link TckResult#seed()}
   */
  public long seed() {
    return file.seed();
  }

  /**
   * Judges the history again, by each check that the rule used. Takes at most seconds.
   *
   * @return what each check says, in the order of the rule's
   */
  public List<Part> judge() {
    return file.histories().stream().map(SavedHistory::part).toList();
  }

  private static Part part(History history) {
    Judgement judgement = history.judge();
    Verdict verdict = switch (judgement.answer()) {
      case YES -> Verdict.PASS;
      case NO -> Verdict.FAIL;
      case UNDECIDED -> Verdict.INCONCLUSIVE;
    };
    return new Part(history.check().words(), history.size(), verdict, judgement.lines());
  }
}
