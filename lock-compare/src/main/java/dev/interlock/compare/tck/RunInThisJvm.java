package dev.interlock.compare.tck;

import dev.interlock.compare.figures.Figures;
import dev.interlock.compare.report.Overlap;
import dev.interlock.compare.report.Progress;
import dev.interlock.compare.report.ProviderReport;
import dev.interlock.compare.servers.Backend;
import dev.interlock.compare.servers.ServerTurns;
import dev.interlock.tck.TckResult;

/** Runs a kit here: for tests, whose kit is another one. */
public record RunInThisJvm(RuleRunner kit) implements CandidateRunner {

  @Override
  public ProviderReport run(
      Candidate candidate,
      KitSettings settings,
      double timeScale,
      Progress progress,
      ServerTurns turns) {
    try (Backend backend = candidate.start()) {
      Runnable turnEnds = turns.await(ServerTurns.address(backend, candidate.id()));
      try {
        progress.server(backend.origin());
        TckResult result =
            kit.run(candidate.target(backend).timeScale(timeScale), settings, progress);
        ProviderReport report = new ProviderReport(
            candidate.id(),
            result.provider().version(),
            result.server(),
            backend.origin(),
            result.capabilities(),
            result.rules(),
            new Figures(),
            "",
            candidate.isPeer());
        return report.withScales(result.scales()).withOverlaps(Overlap.of(result.rules()));
      } finally {
        turnEnds.run();
      }
    }
  }
}
