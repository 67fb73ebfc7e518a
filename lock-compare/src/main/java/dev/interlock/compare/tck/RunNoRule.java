package dev.interlock.compare.tck;

import dev.interlock.compare.figures.Figures;
import dev.interlock.compare.report.Progress;
import dev.interlock.compare.report.ProviderReport;
import dev.interlock.compare.servers.Backend;
import dev.interlock.compare.servers.ServerTurns;
import dev.interlock.measure.server.ServerProbe;
import java.util.List;

/** Leaves the kit out, and only tells which lock it is, and on which server. */
public record RunNoRule() implements CandidateRunner {

  @Override
  public ProviderReport run(
      Candidate candidate,
      KitSettings settings,
      double timeScale,
      Progress progress,
      ServerTurns turns) {
    try (Backend backend = candidate.start()) {
      progress.server(backend.origin());
      return new ProviderReport(
          candidate.id(),
          candidate.version(),
          backend.probe().map(ServerProbe::version).orElse(backend.origin()),
          backend.origin(),
          candidate.capabilities(),
          List.of(),
          new Figures(),
          "",
          candidate.isPeer());
    }
  }
}
