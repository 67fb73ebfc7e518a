package dev.interlock.tck.internal.history;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A line of a file, in columns that a tab separates. Any text can stand in a column. */
final class Row {
  private Row() {}

  static String of(Object... columns) {
    return Stream.of(columns)
        .map(column -> escape(column.toString()))
        .collect(Collectors.joining("\t"));
  }

  static List<String> columns(String line) {
    return Stream.of(line.split("\t", -1)).map(String::translateEscapes).toList();
  }

  private static String escape(String text) {
    return text.replace("\\", "\\\\")
        .replace("\t", "\\t")
        .replace("\n", "\\n")
        .replace("\r", "\\r");
  }
}
