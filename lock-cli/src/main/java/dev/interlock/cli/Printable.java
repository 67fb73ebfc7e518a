package dev.interlock.cli;

/**
 * Text that a server told, made fit for a terminal. Names and owners may hold any character, and
 * must not steer the operator's terminal or look like another line of the table.
 */
final class Printable {
  private Printable() {}

  /** Shows backslashes twice, and what is not to be seen by its number. */
  static String of(String text) {
    StringBuilder shown = new StringBuilder(text.length());
    text.codePoints().forEach(c -> {
      if (c == '\\') {
        shown.append("\\\\");
      } else if (isVisible(c)) {
        shown.appendCodePoint(c);
      } else {
        shown.append(c > 0xffff ? "\\u{%x}".formatted(c) : "\\u%04x".formatted(c));
      }
    });
    return shown.toString();
  }

  private static boolean isVisible(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR -> false;
      default -> true;
    };
  }
}
