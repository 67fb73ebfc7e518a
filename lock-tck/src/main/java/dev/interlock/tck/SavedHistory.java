package dev.interlock.tck;

import dev.interlock.tck.internal.history.History;
import dev.interlock.tck.internal.history.HistoryFile;
import dev.interlock.tck.internal.history.Hold;
import dev.interlock.tck.internal.history.Judgement;
import dev.interlock.tck.internal.history.Violation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

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
   * One hold of those that show a violation.
   *
   * @param name the lock
   * @param owner who held it
   * @param token the fencing token; 0 where there is none
   * @param from when acquire had returned, since the first of these holds
   * @param until when its holder had to stop relying on it, since the same moment
   * @param released whether that was because the holder called release, rather than because the
   *     lease had passed
   */
  public record Span(
      String name, String owner, long token, Duration from, Duration until, boolean released) {}

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

  /**
   * Returns the holds that cannot both be right, for a drawing. What is judged by the answers of
   * calls, rather than by holds, has none.
   *
   * @return those of the first check that finds a violation, the earliest first; none if no check
   *     of holds does
   */
  public List<Span> violation() {
    return file.histories().stream()
        .flatMap(history -> history.violation().stream())
        .findFirst()
        .map(SavedHistory::spans)
        .orElse(List.of());
  }

  private static List<Span> spans(Violation violation) {
    List<Hold> holds = Stream.of(violation.first(), violation.second())
        .sorted(Comparator.comparingLong(Hold::acquired))
        .toList();
    long start = holds.get(0).acquired();
    return holds.stream()
        .map(hold -> new Span(
            hold.name(),
            hold.owner(),
            hold.token(),
            Duration.ofNanos(hold.acquired() - start),
            Duration.ofNanos(hold.end() - start),
            hold.released() <= hold.until()))
        .toList();
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
