package dev.interlock.compare;

import dev.interlock.LockException;
import dev.interlock.Locks;
import dev.interlock.ProviderInfo;
import dev.interlock.compare.cli.Errors;
import dev.interlock.compare.facts.Fact;
import dev.interlock.compare.facts.Observation;
import dev.interlock.compare.figures.Figures;
import dev.interlock.compare.figures.Measurement;
import dev.interlock.compare.peers.Peer;
import dev.interlock.compare.report.Progress;
import dev.interlock.compare.report.ProviderReport;
import dev.interlock.compare.report.Report;
import dev.interlock.compare.servers.Backend;
import dev.interlock.compare.servers.Subject;
import dev.interlock.compare.tck.Kit;
import dev.interlock.compare.tck.KitSettings;
import dev.interlock.tck.TckResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Takes the providers one after the other: starts the server, runs the kit, measures. Then looks,
 * side by side, what happens to each.
 */
final class Comparison {
  private final Kit kit;
  private final List<Measurement> measurements;
  private final SideBySide sideBySide;
  private final KitSettings settings;
  private final double timeScale;
  private final Progress progress;

  Comparison(
      Kit kit,
      List<Measurement> measurements,
      List<Observation> observations,
      KitSettings settings,
      double timeScale,
      Progress progress) {
    this.kit = kit;
    this.measurements = measurements;
    this.settings = settings;
    this.timeScale = timeScale;
    this.progress = progress;
    this.sideBySide = new SideBySide(observations, settings.effort(), progress);
  }

  /**
   * Compares.
   *
   * @param subjects the providers
   * @param uris by provider, where a server is given
   * @param peers other libraries' locks, whose servers are started
   */
  Report run(List<Subject> subjects, Map<String, String> uris, List<Peer> peers) {
    long start = System.nanoTime();
    List<ProviderReport> reports = new ArrayList<>();
    for (Subject subject : subjects) {
      reports.add(one(subject, Optional.ofNullable(uris.get(subject.id()))));
    }
    Map<String, List<Fact>> facts = sideBySide.run(subjects, uris);
    reports.replaceAll(report -> report.withFacts(facts.getOrDefault(report.id(), List.of())));
    for (Peer peer : peers) {
      reports.add(one(peer));
    }
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    return new Report(
        Instant.now(), settings.effort(), settings.seed(), took, reports, Optional.empty());
  }

  private ProviderReport one(Subject subject, Optional<String> uri) {
    progress.provider(subject.id());
    try (Backend backend = uri.map(subject::at).orElseGet(subject::start)) {
      progress.server(backend.origin());
      TckResult result = kit.run(backend.target().timeScale(timeScale), settings, progress);
      Figures figures = measure(backend);
      return new ProviderReport(
          subject.id(),
          result.provider().version(),
          result.server(),
          backend.origin(),
          result.capabilities(),
          result.rules(),
          figures,
          "");
    } catch (RuntimeException e) {
      // One provider that cannot be compared does not keep the others from it.
      progress.failed(subject.id(), Errors.describe(e));
      return broken(subject, e);
    }
  }

  private ProviderReport one(Peer peer) {
    progress.provider(peer.id() + " (peer)");
    String id = peer.id();
    try (Backend backend = peer.start()) {
      progress.server(backend.origin());
      TckResult result = kit.run(peer.target(backend).timeScale(timeScale), settings, progress);
      String version = result.provider().version();
      return new ProviderReport(
          id,
          version,
          result.server(),
          backend.origin(),
          result.capabilities(),
          result.rules(),
          new Figures(),
          "",
          true);
    } catch (RuntimeException e) {
      String why = Errors.describe(e);
      progress.failed(id, why);
      return new ProviderReport(
          id, "unknown", "none", "none", Set.of(), List.of(), new Figures(), why, true);
    }
  }

  private Figures measure(Backend backend) {
    Figures figures = new Figures();
    for (Measurement measurement : measurements) {
      progress.measuring(measurement.title());
      try {
        measurement.take(backend, settings.effort(), figures);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new LockException("The comparison was interrupted.", e);
      } catch (Exception e) {
        figures.failed(Errors.describe(e), measurement.measures());
        progress.failed(measurement.title(), Errors.describe(e));
      }
    }
    return figures;
  }

  private static ProviderReport broken(Subject subject, RuntimeException error) {
    Optional<ProviderInfo> info = Locks.providers().stream()
        .filter(found -> found.id().equals(subject.id()))
        .findFirst();
    return new ProviderReport(
        subject.id(),
        info.map(ProviderInfo::version).orElse("unknown"),
        "none",
        "none",
        info.map(ProviderInfo::capabilities).orElse(Set.of()),
        List.of(),
        new Figures(),
        Errors.describe(error));
  }
}
