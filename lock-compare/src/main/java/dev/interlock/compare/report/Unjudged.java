package dev.interlock.compare.report;

import java.util.ArrayList;
import java.util.List;

/** What a run says nothing about, and whether its exit status counts that, in sentences. */
final class Unjudged {
  private Unjudged() {}

  /** One for each provider of which not all was judged. */
  static List<String> of(Report report) {
    List<String> lines = new ArrayList<>();
    for (ProviderReport provider : report.providers()) {
      boolean counts = !provider.isPeer() || report.isOfPeersOnly();
      if (counts && !provider.isJudged()) {
        lines.add("Nothing was judged of " + provider.label() + why(provider)
            + ", so this run is no success.");
      } else if (!provider.wanting().isEmpty()) {
        lines.add(
            "Not judged of " + provider.label() + why(provider) + "; " + consequence(provider));
      }
    }
    return lines;
  }

  private static String why(ProviderReport provider) {
    return provider.wanting().isEmpty()
        ? ""
        : ", for want of means: " + String.join(", ", provider.wanting());
  }

  private static String consequence(ProviderReport provider) {
    return provider.isPeer() || provider.isComplete()
        ? "the exit status does not count that."
        : "that was asked for by name, so this run is no success.";
  }
}
