package dev.interlock.bench.report;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import dev.interlock.bench.report.Tables.Table;
import dev.interlock.bench.runs.CountedResult;
import dev.interlock.bench.runs.OpenSubjects;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;

/** Prints a report to a terminal. */
public final class TerminalReport {
  private TerminalReport() {}

  /** The tables of a report, the ratios first. */
  static List<Table> tables(BenchReport report) {
    List<Table> tables = new ArrayList<>();
    Table ratios = Tables.ratios(report);
    if (!ratios.rows().isEmpty()) {
      tables.add(ratios);
    }
    report.scenarios().forEach(scenario -> tables.add(Tables.scenario(scenario)));
    if (!report.uncontended().isEmpty()) {
      tables.add(Tables.uncontended(report.uncontended()));
    }
    if (!report.handOffs().isEmpty()) {
      tables.add(Tables.handOffs(report.handOffs()));
    }
    if (!report.fencedWrites().isEmpty()) {
      tables.add(Tables.fencedWrites(report.fencedWrites()));
    }
    if (!report.bystander().isEmpty()) {
      tables.add(Tables.bystander(report.bystander()));
    }
    if (!report.silentMember().isEmpty()) {
      tables.add(Tables.silentMember(report.silentMember()));
    }
    report.counted().stream()
        .collect(
            Collectors.groupingBy(CountedResult::scenario, LinkedHashMap::new, Collectors.toList()))
        .values()
        .forEach(results -> tables.add(Tables.counted(results)));
    if (!report.targets().isEmpty()) {
      tables.add(Tables.targets(report.targets()));
    }
    return tables;
  }

  public static void print(BenchReport report, PrintWriter out) {
    for (Table table : tables(report)) {
      out.println();
      out.println(table.title());
      out.println(text(table));
    }
    out.println();
    Tables.notes(report).forEach(out::println);
    for (OpenSubjects.Failure failure : report.failures()) {
      out.println(
          "FAILED " + failure.subject() + " in " + failure.where() + ": " + failure.message());
    }
    out.flush();
  }

  private static String text(Table table) {
    Column[] columns = new Column[table.header().size()];
    for (int i = 0; i < columns.length; i++) {
      HorizontalAlign align = i == 0 ? HorizontalAlign.LEFT : HorizontalAlign.RIGHT;
      columns[i] = new Column().header(table.header().get(i)).headerAlign(align).dataAlign(align);
    }
    Object[][] cells =
        table.rows().stream().map(row -> row.toArray(new Object[0])).toArray(Object[][]::new);
    return AsciiTable.builder()
        .border(AsciiTable.BASIC_ASCII_NO_DATA_SEPARATORS)
        .data(columns, cells)
        .asString();
  }
}
