package dev.interlock.compare.report;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import com.github.freva.asciitable.Styler;
import dev.interlock.compare.facts.Fact;
import dev.interlock.compare.facts.Happening;
import dev.interlock.compare.figures.Measure;
import dev.interlock.tck.Evidence;
import dev.interlock.tck.RuleInfo;
import dev.interlock.tck.RuleResult;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Help.Ansi;

/** The report as two tables: rules and figures in rows, providers in columns. */
public final class TerminalReport {
  private static final int TITLE_WIDTH = 58;

  private final Report report;
  private final Ansi ansi;
  private final String ellipsis;

  /**
   * Of a report.
   *
   * @param isUnicode whether the terminal can show more than ASCII has
   */
  public TerminalReport(Report report, Ansi ansi, boolean isUnicode) {
    this.report = report;
    this.ansi = ansi;
    // Put in here, for what replaces it later would be wider and move the columns.
    this.ellipsis = isUnicode ? "…" : "...";
  }

  public void print(PrintWriter out) {
    out.println();
    if (report.hasRules() || report.happenings().isEmpty()) {
      judged(out);
    }
    if (report.isMeasured()) {
      out.println(measures());
      out.println("Measured on " + report.circumstances().machine() + ".");
      notes().forEach(out::println);
      out.println();
    }
    happenings(out);
    report.remarks().forEach(remark -> remark(out, remark));
    report.changes().ifPresent(changes -> changes(out, changes));
    for (ProviderReport provider : report.providers()) {
      out.printf(
          "%s on %s: level %s; %s%n    scales: %s%n",
          Verdicts.style(ansi, "bold", provider.label()),
          provider.server(),
          provider.levelWithStop(),
          provider.summary(),
          provider.scaleText());
    }
    Unjudged.of(report).forEach(out::println);
    out.flush();
  }

  private void judged(PrintWriter out) {
    out.println(rules());
    List<RuleInfo> untested = report.untested();
    if (!untested.isEmpty()) {
      out.println("Not tested by this edition of the kit: "
          + untested.stream().map(RuleInfo::id).collect(Collectors.joining(", ")));
    }
    out.println("Any cell again: " + report.again().anyCell());
    out.println();
  }

  private void happenings(PrintWriter out) {
    List<Happening> happenings = report.happenings();
    if (happenings.isEmpty()) {
      return;
    }
    int width = report.providers().stream()
        .mapToInt(provider -> provider.label().length())
        .max()
        .orElseThrow();
    out.println(Verdicts.style(ansi, "bold", "What happens when ..."));
    for (Happening happening : happenings) {
      out.println("... " + happening.title());
      for (ProviderReport provider : report.providersWith(happening)) {
        String label = provider.label() + " ".repeat(width - provider.label().length());
        Fact fact = provider.fact(happening).orElseThrow();
        String style = fact.failed() ? "bold,red" : fact.figures().isEmpty() ? "faint" : "";
        String words = style.isEmpty() ? fact.words() : Verdicts.style(ansi, style, fact.words());
        out.println("    " + label + "  " + words);
      }
      report.again().anyFact(happening).forEach(again -> out.println("    again: " + again));
    }
    out.println();
  }

  private void changes(PrintWriter out, Changes changes) {
    out.println("Changed since " + changes.since() + ":");
    if (changes.all().isEmpty()) {
      out.println("  nothing");
    }
    for (Changes.Change change : changes.all()) {
      out.printf(
          "  %s  %s: %s -> %s%n",
          change.provider(),
          change.what(),
          Verdicts.paint(ansi, change.before()),
          Verdicts.paint(ansi, change.now()));
    }
    out.println();
  }

  /** What a failure rests on: expected, happened, what to check, and the history. */
  private void remark(PrintWriter out, Report.Remark remark) {
    RuleResult result = remark.result();
    Evidence evidence = result.evidence();
    out.printf(
        "%s  %s %s: %s%n",
        Verdicts.paint(ansi, ProviderReport.text(result)),
        remark.provider().label(),
        result.id(),
        result.title());
    evidence.message().lines().forEach(line -> out.println("    " + line));
    evidence.faults().forEach(fault -> out.println("    fault: " + fault));
    evidence.history().forEach(line -> out.println("      " + line));
    remark
        .overlap()
        .ifPresent(overlap -> overlap.drawing().forEach(line -> out.println("      " + line)));
    evidence
        .saved()
        .ifPresent(file -> out.println("    history saved; judge it again: history " + file));
    out.printf("    again: %s%n", report.again().cell(remark.provider(), result.id()));
    out.printf("    seed %d, %,d operations%n%n", evidence.seed(), evidence.operations());
  }

  private String rules() {
    List<String[]> rows = new ArrayList<>();
    boolean partial = report.rows().stream().anyMatch(Report.Row::isRun);
    List<Report.Row> ordered = new ArrayList<>(report.rows());
    // What needs to be looked at must not scroll away first; the order of SPEC.md within each kind.
    ordered.sort(Comparator.comparing(row -> row.fails() ? 0 : row.differs() ? 1 : 2));
    for (Report.Row row : ordered) {
      if (row.rule().isTested() && (!partial || row.isRun())) {
        rows.add(row(
            List.of(
                row.rule().id(), row.rule().level().name(), shortened(row.rule().title())),
            row.cells()));
      }
    }
    List<Column> columns = new ArrayList<>();
    columns.add(left("Rule"));
    columns.add(left("Level"));
    columns.add(left("What must be so"));
    report.providers().forEach(provider -> columns.add(left(provider.label())));
    return table(columns, rows);
  }

  private String shortened(String title) {
    return title.length() <= TITLE_WIDTH
        ? title
        : title.substring(0, TITLE_WIDTH - ellipsis.length()) + ellipsis;
  }

  private String measures() {
    List<String[]> rows = new ArrayList<>();
    for (Measure measure : Measure.values()) {
      rows.add(row(
          List.of(measure.title()),
          report.measured().stream()
              .map(provider -> provider.figures().text(measure))
              .toList()));
    }
    List<Column> columns = new ArrayList<>();
    columns.add(left("Measured"));
    report
        .measured()
        .forEach(provider -> columns.add(left(provider.label()).dataAlign(HorizontalAlign.RIGHT)));
    return table(columns, rows);
  }

  private List<String> notes() {
    List<String> notes = new ArrayList<>();
    for (ProviderReport provider : report.measured()) {
      for (Measure measure : Measure.values()) {
        provider
            .figures()
            .find(measure)
            .filter(figure -> figure.failed() || figure.hangs())
            .ifPresent(
                figure -> notes.add(provider.id() + ", " + measure.title() + ": " + figure.note()));
      }
    }
    return notes;
  }

  // The library marks the elements as nullable, which only a compiler from 22 on tells the checker.
  @SuppressWarnings("NullAway")
  private String table(List<Column> columns, List<String[]> rows) {
    return AsciiTable.builder()
        .border(AsciiTable.BASIC_ASCII_NO_DATA_SEPARATORS)
        .styler(new Colours(ansi))
        .data(columns.toArray(Column[]::new), rows.toArray(String[][]::new))
        .asString();
  }

  private static Column left(String header) {
    return new Column()
        .header(header)
        .headerAlign(HorizontalAlign.LEFT)
        .dataAlign(HorizontalAlign.LEFT);
  }

  private static String[] row(List<String> first, List<String> cells) {
    return Stream.concat(first.stream(), cells.stream()).toArray(String[]::new);
  }

  private record Colours(Ansi ansi) implements Styler {
    @Override
    public List<String> styleCell(Column column, int row, int col, List<String> lines) {
      return lines.stream().map(line -> Verdicts.paint(ansi, line)).toList();
    }
  }
}
