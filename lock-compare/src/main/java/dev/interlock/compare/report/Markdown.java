package dev.interlock.compare.report;

import java.util.regex.Pattern;

/** Puts texts of any kind into Markdown, so that each stays what and where it is. */
final class Markdown {
  private static final Pattern LINE_BREAKS = Pattern.compile("\\s*\\R\\s*");
  private static final Pattern SPECIAL = Pattern.compile("[\\\\|`*\\[]");
  private static final Pattern BACKTICKS = Pattern.compile("`+");

  private Markdown() {}

  /** A text that stays in one cell of a table, and is neither code nor HTML. */
  static String cell(String text) {
    String line = LINE_BREAKS.matcher(text.strip()).replaceAll(" ");
    String marked = SPECIAL.matcher(line).replaceAll("\\\\$0");
    return marked.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  /** A text within a line, as code. */
  static String code(String text) {
    String line = LINE_BREAKS.matcher(text).replaceAll(" ");
    String fence = "`".repeat(longest(line) + 1);
    // A blank keeps the fence apart from what begins or ends with one of its kind.
    String edge = line.startsWith("`") || line.endsWith("`") ? " " : "";
    return fence + edge + line + edge + fence;
  }

  /** Lines of code. */
  static String block(String text) {
    String fence = "`".repeat(Math.max(3, longest(text) + 1));
    return fence + "\n" + text + "\n" + fence;
  }

  /** How many backticks there are in a row at the most. */
  private static int longest(String text) {
    return BACKTICKS
        .matcher(text)
        .results()
        .mapToInt(found -> found.end() - found.start())
        .max()
        .orElse(0);
  }
}
