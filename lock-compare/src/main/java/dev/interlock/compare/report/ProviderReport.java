package dev.interlock.compare.report;

import dev.interlock.Capability;
import dev.interlock.compare.facts.Fact;
import dev.interlock.compare.facts.Happening;
import dev.interlock.compare.figures.Figures;
import dev.interlock.tck.Level;
import dev.interlock.tck.RuleInfo;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.Rules;
import dev.interlock.tck.Strength;
import dev.interlock.tck.TckScales;
import dev.interlock.tck.Verdict;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What was found out about one provider.
 *
 * @param id the provider's id
 * @param version the version of its artifact
 * @param server product and version of the server it ran on
 * @param origin where that server came from
 * @param capabilities what the provider declares
 * @param rules the verdicts
 * @param figures what was measured
 * @param error why the kit could not run; empty if it could
 * @param isPeer whether it is another library's lock, of which only some rules can be judged
 * @param facts what happened to it, as far as that was looked at
 * @param overlaps for a drawing, by rule, where a violation was seen in a history of holds
 * @param scales how long the kit's tests were, and how patient; empty if none was run
 */
public record ProviderReport(
    String id,
    String version,
    String server,
    String origin,
    Set<Capability> capabilities,
    List<RuleResult> rules,
    Figures figures,
    String error,
    boolean isPeer,
    List<Fact> facts,
    Map<String, Overlap> overlaps,
    Optional<TckScales> scales) {
  static final String NOT_RUN = "-";

  /** The verdict on a SHOULD rule that does not hold. */
  static final String WARNING = "WARNING";

  /** One that is ours, or that the user asks us to judge. */
  public ProviderReport(
      String id,
      String version,
      String server,
      String origin,
      Set<Capability> capabilities,
      List<RuleResult> rules,
      Figures figures,
      String error) {
    this(id, version, server, origin, capabilities, rules, figures, error, false);
  }

  /** One to which nothing has happened yet. */
  public ProviderReport(
      String id,
      String version,
      String server,
      String origin,
      Set<Capability> capabilities,
      List<RuleResult> rules,
      Figures figures,
      String error,
      boolean isPeer) {
    this(
        id,
        version,
        server,
        origin,
        capabilities,
        rules,
        figures,
        error,
        isPeer,
        List.of(),
        Map.of(),
        Optional.empty());
  }

  /** The least that a lock costs on a kind of server. It has no rules. */
  public static ProviderReport ofFloor(String id, Figures measured) {
    return new ProviderReport(id, "", "", "", Set.of(), List.of(), measured, "");
  }

  /** The same, of another library's lock if it is one. */
  public ProviderReport ofPeer(boolean peer) {
    return changed(copy -> copy.isPeer = peer);
  }

  /** The same, with what was measured. */
  public ProviderReport withFigures(Figures measured) {
    return changed(copy -> copy.figures = measured);
  }

  /** The same, with what happened to it. */
  public ProviderReport withFacts(List<Fact> seen) {
    return changed(copy -> copy.facts = seen);
  }

  /** The same, with what the saved histories show. */
  public ProviderReport withOverlaps(Map<String, Overlap> found) {
    return changed(copy -> copy.overlaps = found);
  }

  /** The same, with the scales of the run. */
  public ProviderReport withScales(TckScales used) {
    return changed(copy -> copy.scales = Optional.of(used));
  }

  private ProviderReport changed(Consumer<Copy> change) {
    Copy copy = new Copy(this);
    change.accept(copy);
    return new ProviderReport(
        id,
        version,
        server,
        origin,
        capabilities,
        rules,
        copy.figures,
        error,
        copy.isPeer,
        copy.facts,
        copy.overlaps,
        copy.scales);
  }

  /** What comes to be known of a provider one after the other. */
  private static final class Copy {
    private Figures figures;
    private boolean isPeer;
    private List<Fact> facts;
    private Map<String, Overlap> overlaps;
    private Optional<TckScales> scales;

    Copy(ProviderReport of) {
      figures = of.figures;
      isPeer = of.isPeer;
      facts = of.facts;
      overlaps = of.overlaps;
      scales = of.scales;
    }
  }

  Optional<Overlap> overlap(String rule) {
    return Optional.ofNullable(overlaps.get(rule));
  }

  /** The scales in words. */
  String scaleText() {
    return scales.map(TckScales::toString).orElse("none");
  }

  Optional<Fact> fact(Happening happening) {
    return facts.stream().filter(fact -> fact.happening() == happening).findFirst();
  }

  /** The id, and that it is another library's lock if it is. */
  String label() {
    return isPeer ? id + " (peer)" : id;
  }

  String cell(RuleInfo rule) {
    return rules.stream()
        .filter(result -> result.id().equals(rule.id()))
        .map(ProviderReport::text)
        .findFirst()
        .orElse(rule.isTested() ? NOT_RUN : "untested");
  }

  public static String text(RuleResult result) {
    return result.isWarning() ? WARNING : text(result.verdict());
  }

  public static String text(Verdict verdict) {
    return verdict == Verdict.NOT_CLAIMED ? "not claimed" : verdict.name();
  }

  /** Counts the rules of a verdict; what is only a warning is counted as that. */
  long count(Verdict verdict) {
    return rules.stream()
        .filter(rule -> rule.verdict() == verdict && !rule.isWarning())
        .count();
  }

  long warnings() {
    return rules.stream().filter(RuleResult::isWarning).count();
  }

  /**
   * The hardest level up to which the provider keeps what it claims: every MUST rule that the kit
   * tests was run, and each passed or is not claimed. A level of which nothing is claimed is not
   * reached. A peer has no level: what its API cannot express says nothing about it.
   */
  Optional<Level> level() {
    if (isPeer) {
      return Optional.empty();
    }
    Level reached = null;
    for (Level level : Level.values()) {
      List<Verdict> verdicts = verdicts(level);
      boolean holds = verdicts.stream()
          .allMatch(verdict -> verdict == Verdict.PASS || verdict == Verdict.NOT_CLAIMED);
      if (!holds || !verdicts.contains(Verdict.PASS)) {
        break;
      }
      reached = level;
    }
    return Optional.ofNullable(reached);
  }

  /**
   * What became of the rules of a level, without warnings; a rule that was not run counts as not
   * decided.
   */
  private List<Verdict> verdicts(Level level) {
    return Rules.all().stream()
        .filter(rule -> rule.isTested() && rule.level() == level)
        .filter(rule -> rule.strength() == Strength.MUST
            || result(rule.id()).filter(RuleResult::isAgainst).isPresent())
        .map(rule -> result(rule.id()).map(RuleResult::verdict).orElse(Verdict.INCONCLUSIVE))
        .toList();
  }

  String levelText() {
    return level()
        .map(Enum::name)
        .orElse(
            isPeer
                ? "not judged, for it is a peer"
                : isComplete() ? "none" : "not judged, for not all rules were run");
  }

  /**
   * Why the level is not the one above it: the rules of that which are not known to hold. Empty if
   * there is no higher one, or nothing was judged.
   */
  String levelStop() {
    if (isPeer || !isComplete()) {
      return "";
    }
    Optional<Level> next = Stream.of(Level.values())
        .filter(level -> level().map(reached -> level.compareTo(reached) > 0).orElse(true))
        .findFirst();
    return next.map(this::stop).orElse("");
  }

  private String stop(Level above) {
    String rules = Rules.all().stream()
        .filter(rule -> rule.level() == above)
        .flatMap(rule -> result(rule.id())
            .filter(result -> result.isAgainst()
                || (result.verdict() == Verdict.WAIVED && rule.strength() == Strength.MUST))
            .stream())
        .map(result -> result.id() + " is " + text(result))
        .collect(Collectors.joining(", "));
    return above.name() + ": " + (rules.isEmpty() ? "nothing of it is claimed" : rules);
  }

  /** The level, and what keeps the provider from the next one. */
  String levelWithStop() {
    return levelStop().isEmpty() ? levelText() : levelText() + " (not " + levelStop() + ")";
  }

  /** Whether all rules were run, and not only some that were asked for by name. */
  boolean isComplete() {
    return Rules.all().stream()
        .allMatch(rule -> !rule.isTested() || result(rule.id()).isPresent());
  }

  Optional<RuleResult> result(String rule) {
    return rules.stream().filter(result -> result.id().equals(rule)).findFirst();
  }

  /**
   * Whether anything is known about it: a rule has a verdict that is not INCONCLUSIVE, or, in a run
   * without rules, it is known what happened to it.
   */
  boolean isJudged() {
    return rules.stream().anyMatch(rule -> rule.verdict() != Verdict.INCONCLUSIVE)
        || (rules.isEmpty() && error.isEmpty() && facts.stream().anyMatch(fact -> !fact.failed()));
  }

  /**
   * Whether only what happens to it was asked for, and some of that could not be measured. That
   * there is nothing to measure is an answer.
   */
  boolean lacksFacts() {
    return rules.isEmpty() && facts.stream().anyMatch(Fact::failed);
  }

  /** The rules that the kit had no means to judge, without those that only warn. */
  List<String> wanting() {
    return rules.stream()
        .filter(rule -> rule.isAgainst() && rule.isForWantOfMeans())
        .map(RuleResult::id)
        .toList();
  }

  /**
   * Whether everything that is claimed was seen to hold. What the kit had no means to test does not
   * count in a run of all rules, for who asks for that knows of it. A rule that was asked for by
   * name is to be judged.
   */
  boolean isGood() {
    return error.isEmpty()
        && isJudged()
        && !lacksFacts()
        && rules.stream().noneMatch(rule -> rule.isAgainst() && !rule.isForWantOfMeans())
        && (isComplete() || wanting().isEmpty())
        && !figures.anyFailed();
  }

  /** In one line: how many rules have which verdict. */
  String summary() {
    if (!error.isEmpty()) {
      return "the kit could not run: " + error;
    }
    StringBuilder text = new StringBuilder();
    for (Verdict verdict : Verdict.values()) {
      long count = count(verdict);
      if (count > 0) {
        text.append(text.isEmpty() ? "" : ", ").append(count).append(' ').append(text(verdict));
      }
    }
    if (warnings() > 0) {
      text.append(text.isEmpty() ? "" : ", ").append(warnings()).append(' ').append(WARNING);
    }
    return text.isEmpty() ? "no rule was run" : text.toString();
  }

  Set<Capability> sortedCapabilities() {
    return new TreeSet<>(capabilities);
  }

  String capabilityText() {
    return sortedCapabilities().stream().map(Enum::name).collect(Collectors.joining(" "));
  }
}
