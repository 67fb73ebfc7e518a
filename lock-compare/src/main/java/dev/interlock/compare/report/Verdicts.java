package dev.interlock.compare.report;

import dev.interlock.tck.Verdict;
import picocli.CommandLine.Help.Ansi;

/** How verdicts look. */
public final class Verdicts {
  private Verdicts() {}

  static boolean needsAttention(Verdict verdict) {
    return verdict == Verdict.FAIL || verdict == Verdict.INCONCLUSIVE;
  }

  /** Colours a verdict's text, which may have blanks around it. */
  public static String paint(Ansi ansi, String text) {
    return switch (text.strip()) {
      case "PASS" -> style(ansi, "green", text);
      case "FAIL", "FAILED", "failed" -> style(ansi, "bold,red", text);
      case "INCONCLUSIVE", "WAIVED", "WARNING", "hangs" -> style(ansi, "yellow", text);
      case "not claimed", "untested", "n/a", "-" -> style(ansi, "faint", text);
      default -> text;
    };
  }

  public static String style(Ansi ansi, String style, String text) {
    if (!ansi.enabled()) {
      return text;
    }
    Ansi.IStyle[] styles = Ansi.Style.parse(style);
    return Ansi.Style.on(styles) + text + Ansi.Style.off(styles);
  }

  /** What stands before a verdict on the page, so that colour is not the only sign. */
  static String sign(String cell) {
    return switch (cell) {
      case "PASS" -> "✓";
      case "FAIL" -> "✕";
      case "INCONCLUSIVE" -> "?";
      case "WAIVED" -> "⚑";
      case "WARNING" -> "!";
      default -> "–";
    };
  }

  /** The class of a cell on the page. */
  static String css(String cell) {
    return switch (cell) {
      case "PASS" -> "pass";
      case "FAIL" -> "fail";
      case "INCONCLUSIVE" -> "inconclusive";
      case "WAIVED", "WARNING" -> "waived";
      default -> "none";
    };
  }
}
