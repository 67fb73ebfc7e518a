package dev.interlock.compare.report;

import dev.interlock.compare.facts.Happening;
import dev.interlock.compare.servers.Backend;
import dev.interlock.tck.Effort;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The commands that do again what a report shows. */
final class Again {
  private final Report report;

  Again(Report report) {
    this.report = report;
  }

  /** One cell of the matrix. */
  String cell(ProviderReport provider, String rule) {
    return one(provider) + waiver(rule) + " --rules " + rule + " --seed " + report.seed();
  }

  /** One thing that happened to a provider. Nothing of it is chosen by the seed. */
  String fact(ProviderReport provider, Happening happening) {
    return one(provider) + " --facts " + happening.option();
  }

  /**
   * One thing that happened, for those who put the provider's name in: a command for each kind of
   * provider to which it did.
   */
  List<String> anyFact(Happening happening) {
    return report.providersWith(happening).stream()
        .map(provider -> compare() + anyOf(provider) + " --facts " + happening.option())
        .distinct()
        .toList();
  }

  private static String anyOf(ProviderReport provider) {
    if (provider.isPeer()) {
      return " --providers none --peers=ID";
    }
    return " --providers ID"
        + (provider.origin().equals(Backend.GIVEN) ? " --uri ID=ID://HOST" : "");
  }

  /** All that is shown of one provider, figures and facts too; a floor is no run of its own. */
  String column(ProviderReport provider) {
    return report.floors().contains(provider)
        ? all()
        : one(provider) + waivers() + " --seed " + report.seed();
  }

  private String one(ProviderReport provider) {
    return isTck()
        ? tck(provider.id())
        : compare(
            provider.isPeer() ? List.of() : List.of(provider),
            provider.isPeer() ? List.of(provider) : List.of());
  }

  /** Any cell, for those who put the names in. */
  String anyCell() {
    String start = isTck() ? tck(report.providers().get(0).id()) : compare() + " --providers ID";
    return start + " --rules RULE --seed " + report.seed();
  }

  /** The whole run. */
  String all() {
    if (isTck()) {
      return column(report.providers().get(0));
    }
    List<ProviderReport> peers =
        report.providers().stream().filter(ProviderReport::isPeer).toList();
    List<ProviderReport> providers =
        report.providers().stream().filter(provider -> !provider.isPeer()).toList();
    return compare(providers, peers) + " --seed " + report.seed();
  }

  private boolean isTck() {
    return report.circumstances().command().equals(Circumstances.TCK);
  }

  /** Where the provider's jar and its server are is not told: the URI may carry a password. */
  private String tck(String id) {
    return "./interlock tck --classpath JAR --uri " + id + "://HOST --effort "
        + report.effort().name().toLowerCase(Locale.ROOT) + timeScale()
        + (report.circumstances().inOneJvm() ? " --in-one-jvm" : "");
  }

  private String waivers() {
    return report.circumstances().waivers().keySet().stream()
        .map(this::waiver)
        .collect(Collectors.joining());
  }

  /** For a shell: within single quotes only these mean something. */
  private String waiver(String rule) {
    String reason = report.circumstances().waivers().get(rule);
    return reason == null ? "" : " --waive '" + (rule + "=" + reason).replace("'", "'\\''") + "'";
  }

  private String compare(List<ProviderReport> providers, List<ProviderReport> peers) {
    String ours = providers.isEmpty() ? "none" : ids(providers);
    String others = peers.isEmpty() ? "" : " --peers=" + ids(peers);
    String servers = providers.stream()
        .filter(provider -> provider.origin().equals(Backend.GIVEN))
        .map(provider -> " --uri " + provider.id() + "=" + provider.id() + "://HOST")
        .collect(Collectors.joining());
    return compare() + " --providers " + ours + others + servers;
  }

  private String compare() {
    String effort = report.effort() == Effort.STANDARD
        ? ""
        : " --" + report.effort().name().toLowerCase(Locale.ROOT);
    return "./interlock compare" + effort + timeScale();
  }

  private static String ids(List<ProviderReport> providers) {
    return providers.stream().map(ProviderReport::id).collect(Collectors.joining(","));
  }

  private String timeScale() {
    double scale = report.circumstances().timeScale();
    return scale == 1 ? "" : " --time-scale " + scale;
  }
}
