package dev.interlock.tck;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** The catalogue of rules, read from the copy of SPEC.md that this artifact carries. */
public final class Rules {
  private static final List<RuleInfo> ALL = SpecReader.read(text());

  private Rules() {}

  /**
   * Returns every rule.
   *
   * @return the rules, in the order of SPEC.md
   */
  public static List<RuleInfo> all() {
    return ALL;
  }

  /**
   * Finds a rule.
   *
   * @param id for example "X1"
   * @return empty if there is no such rule
   */
  public static Optional<RuleInfo> find(String id) {
    return ALL.stream().filter(rule -> rule.id().equals(id)).findFirst();
  }

  private static String text() {
    try (InputStream in = Rules.class.getResourceAsStream("SPEC.md")) {
      if (in == null) {
        throw new IllegalStateException("SPEC.md is missing beside " + Rules.class.getName());
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("SPEC.md cannot be read", e);
    }
  }
}
