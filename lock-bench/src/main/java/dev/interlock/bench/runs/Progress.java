package dev.interlock.bench.runs;

import dev.interlock.measure.Round;
import java.io.PrintWriter;
import java.util.Locale;

/** Tells the user what goes on while a run lasts. Not thread-safe. */
public final class Progress {
  private final PrintWriter out;
  private final long start = System.nanoTime();

  public Progress(PrintWriter out) {
    this.out = out;
  }

  public void note(String text) {
    out.printf(Locale.ROOT, "[%4d s] %s%n", (System.nanoTime() - start) / 1_000_000_000, text);
    out.flush();
  }

  /** Begins a line that {@link #part} goes on with. */
  void begin(String text) {
    out.printf(Locale.ROOT, "[%4d s] %s", (System.nanoTime() - start) / 1_000_000_000, text);
    out.flush();
  }

  void part(String subject, double value) {
    out.printf(Locale.ROOT, "  %s %,.0f", subject, value);
    out.flush();
  }

  void end() {
    out.println();
    out.flush();
  }

  void failed(OpenSubjects.Failure failure) {
    note("FAILED " + failure.subject() + " in " + failure.where() + ": " + failure.message());
  }

  void hangs(String subject, String scenario, String message) {
    note(subject + " hangs in " + scenario + ": " + message);
  }

  void violated(String subject, String scenario, Round.Result result) {
    note("EXCLUSION VIOLATED by %s in %s: two holders seen %d times, %d updates lost"
        .formatted(subject, scenario, result.overlaps(), result.lostUpdates()));
  }
}
