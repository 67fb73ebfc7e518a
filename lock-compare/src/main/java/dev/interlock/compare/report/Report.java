package dev.interlock.compare.report;

import dev.interlock.compare.facts.Happening;
import dev.interlock.tck.Effort;
import dev.interlock.tck.RuleInfo;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.Rules;
import dev.interlock.tck.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The outcome of a comparison, as all its forms show it.
 *
 * @param created when it was finished
 * @param effort how much work went into each rule
 * @param seed repeats the random choices
 * @param took how long it lasted
 * @param circumstances how and on which machine it was made
 * @param providers one for each provider that was compared
 * @param floors the least that a lock costs on their servers, if that was measured; figures only
 * @param changes against an earlier report, if there is one to compare with
 */
public record Report(
    Instant created,
    Effort effort,
    long seed,
    Duration took,
    Circumstances circumstances,
    List<ProviderReport> providers,
    List<ProviderReport> floors,
    Optional<Changes> changes) {

  /** The directory of histories beside a report, which refers to them by it. */
  public static final String HISTORIES = "histories";

  /** The same, with what is not as it was. */
  public Report since(Baseline before) {
    Changes found = Changes.between(before, providers);
    return new Report(
        created, effort, seed, took, circumstances, providers, floors, Optional.of(found));
  }

  /**
   * One line of the matrix.
   *
   * @param rule what must be so
   * @param cells a verdict for each provider, or "untested", or "-" where the kit did not get there
   */
  record Row(RuleInfo rule, List<String> cells) {

    /** Whether there is a verdict of any provider. */
    boolean isRun() {
      return cells.stream().anyMatch(cell -> !cell.equals(ProviderReport.NOT_RUN));
    }

    /** Whether the providers do not all have the same verdict. */
    boolean differs() {
      return cells.stream()
              .filter(cell -> !cell.equals(ProviderReport.NOT_RUN))
              .distinct()
              .count()
          > 1;
    }

    /** Whether it failed, or nothing can be said, for any provider. */
    boolean fails() {
      return cells.contains("FAIL")
          || cells.contains("INCONCLUSIVE")
          || cells.contains(ProviderReport.WARNING);
    }
  }

  /** Every rule of SPEC.md, also those that the kit does not test. */
  List<Row> rows() {
    return Rules.all().stream()
        .map(rule -> new Row(
            rule, providers.stream().map(provider -> provider.cell(rule)).toList()))
        .toList();
  }

  /** The rules that the kit does not test. */
  List<RuleInfo> untested() {
    return Rules.all().stream().filter(rule -> !rule.isTested()).toList();
  }

  /**
   * Whether every provider keeps what it claims, and everything could be run and measured. What
   * peers do changes nothing; but where there are only peers, something must be known of each, and
   * all that was asked for where that is only what happens to them.
   */
  public boolean isGood() {
    return isOfPeersOnly()
        ? providers.stream().allMatch(provider -> provider.isJudged() && !provider.lacksFacts())
        : providers.stream()
            .filter(provider -> !provider.isPeer())
            .allMatch(ProviderReport::isGood);
  }

  /** Whether nothing of ours was to be judged. */
  boolean isOfPeersOnly() {
    return providers.stream().allMatch(ProviderReport::isPeer);
  }

  /** Whether any rule was run. */
  boolean hasRules() {
    return rows().stream().anyMatch(Row::isRun);
  }

  /** Whether there is any figure. */
  boolean isMeasured() {
    return !measured().isEmpty();
  }

  /** Those of which there are figures; the floors come last. */
  List<ProviderReport> measured() {
    return Stream.concat(providers.stream(), floors.stream())
        .filter(one -> !one.figures().isEmpty())
        .toList();
  }

  /** What was looked at in the part <i>What happens when ...</i>; none if that was left out. */
  List<Happening> happenings() {
    return Stream.of(Happening.values())
        .filter(happening ->
            providers.stream().anyMatch(provider -> provider.fact(happening).isPresent()))
        .toList();
  }

  /** The providers to which this was done. */
  List<ProviderReport> providersWith(Happening happening) {
    return providers.stream()
        .filter(provider -> provider.fact(happening).isPresent())
        .toList();
  }

  /** What needs to be looked at: failures, and rules of which nothing can be said. */
  List<Remark> remarks() {
    return providers.stream()
        .flatMap(provider -> provider.rules().stream()
            .filter(rule -> rule.verdict() == Verdict.FAIL
                || rule.verdict() == Verdict.INCONCLUSIVE
                || rule.verdict() == Verdict.WAIVED)
            .map(rule -> new Remark(provider, rule)))
        .toList();
  }

  /**
   * A verdict that is neither a pass nor a capability left out.
   *
   * @param provider whose
   * @param result which
   */
  record Remark(ProviderReport provider, RuleResult result) {

    /** The holds that cannot both be right, if that is what was seen. */
    Optional<Overlap> overlap() {
      return provider.overlap(result.id());
    }
  }

  /** The file with the whole history, if one is saved, as seen from the report's directory. */
  static Optional<String> historyFile(RuleResult result) {
    return result.evidence().saved().map(file -> HISTORIES + "/" + file.getFileName());
  }

  /** The commands that do it again. */
  Again again() {
    return new Again(this);
  }
}
