package dev.interlock.tck;

import dev.interlock.Capability;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the rule tables of SPEC.md. */
final class SpecReader {
  private static final Pattern GROUP =
      Pattern.compile("## (?<group>[A-Z]\\b.*?)(?: \\(`(?<capability>[A-Z_]+)`\\))?");
  private static final Pattern ROW =
      Pattern.compile("\\| <a id=\"(?<anchor>[A-Z][0-9]+)\"></a>(?<id>[A-Z][0-9]+) "
          + "\\| (?<strength>MUST|SHOULD) \\| (?<level>L[0-4]) "
          + "\\| \\*\\*(?<title>[^|*]+)\\*\\*(?: (?<text>[^|]+))? "
          + "\\| (?<intent>[^|]+) \\| (?<test>[^|]+) \\|");

  private SpecReader() {}

  static List<RuleInfo> read(String markdown) {
    List<RuleInfo> rules = new ArrayList<>();
    String group = "";
    Optional<Capability> capability = Optional.empty();
    for (String line : markdown.lines().toList()) {
      Matcher heading = GROUP.matcher(line);
      if (heading.matches()) {
        group = heading.group("group");
        capability = Optional.ofNullable(heading.group("capability")).map(Capability::valueOf);
      } else if (line.startsWith("| <a id=")) {
        rules.add(row(line, group, capability));
      }
    }
    return List.copyOf(rules);
  }

  private static RuleInfo row(String line, String group, Optional<Capability> capability) {
    Matcher row = ROW.matcher(line);
    if (!row.matches() || !row.group("id").equals(row.group("anchor"))) {
      throw new IllegalStateException("SPEC.md has a row that is not of its form: " + line);
    }
    return new RuleInfo(
        row.group("id"),
        group,
        Strength.valueOf(row.group("strength")),
        Level.valueOf(row.group("level")),
        capability,
        row.group("title"),
        row.group("text") == null ? "" : row.group("text"),
        row.group("intent"),
        row.group("test"));
  }
}
