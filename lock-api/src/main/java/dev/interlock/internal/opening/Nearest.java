package dev.interlock.internal.opening;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds what somebody meant to type. */
final class Nearest {
  private Nearest() {}

  /** The candidate that is fewest edits away, if that is few enough to be a slip. */
  static Optional<String> to(String typed, Collection<String> candidates) {
    return candidates.stream()
        .filter(candidate -> distance(typed, candidate) <= slip(typed))
        .min(Comparator.comparingInt((String candidate) -> distance(typed, candidate))
            .thenComparing(Comparator.naturalOrder()));
  }

  private static int slip(String typed) {
    return typed.length() <= 3 ? 1 : Math.max(2, typed.length() / 3);
  }

  /** The edit distance of Levenshtein, ignoring case. */
  private static int distance(String left, String right) {
    String a = left.toLowerCase(java.util.Locale.ROOT);
    String b = right.toLowerCase(java.util.Locale.ROOT);
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int substitution = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(substitution, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
