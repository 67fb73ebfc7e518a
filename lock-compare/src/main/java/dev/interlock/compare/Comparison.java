package dev.interlock.compare;

import dev.interlock.LockException;
import dev.interlock.compare.cli.Errors;
import dev.interlock.compare.facts.Fact;
import dev.interlock.compare.facts.Observation;
import dev.interlock.compare.figures.Figures;
import dev.interlock.compare.figures.Measurement;
import dev.interlock.compare.peers.Floor;
import dev.interlock.compare.peers.Peer;
import dev.interlock.compare.report.Circumstances;
import dev.interlock.compare.report.Progress;
import dev.interlock.compare.report.ProviderReport;
import dev.interlock.compare.report.Report;
import dev.interlock.compare.servers.Backend;
import dev.interlock.compare.servers.ServerTurns;
import dev.interlock.compare.servers.Subject;
import dev.interlock.compare.tck.Candidate;
import dev.interlock.compare.tck.CandidateRunner;
import dev.interlock.compare.tck.KitSettings;
import dev.interlock.compare.tck.Room;
import dev.interlock.compare.tck.RunNoRule;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/**
 * Runs the kit over the locks, several at a time, for most of its time goes by in waiting. Then
 * measures one after the other, on a machine that does nothing else. Then looks, side by side, what
 * happens to each.
 */
final class Comparison {
  private final CandidateRunner runner;
  private final List<Measurement> measurements;
  private final SideBySide sideBySide;
  private final KitSettings settings;
  private final double timeScale;
  private final Progress progress;

  Comparison(
      CandidateRunner runner,
      List<Measurement> measurements,
      List<Observation> observations,
      KitSettings settings,
      double timeScale,
      Progress progress) {
    this.runner = runner;
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
    Circumstances machine = Circumstances.before(Circumstances.COMPARE, timeScale);
    List<Candidate> candidates = new ArrayList<>();
    for (Subject subject : subjects) {
      candidates.add(Candidate.of(subject, Optional.ofNullable(uris.get(subject.id()))));
    }
    peers.forEach(peer -> candidates.add(Candidate.of(peer)));
    List<ProviderReport> reports = judge(candidates);
    for (int i = 0; i < candidates.size(); i++) {
      Candidate candidate = candidates.get(i);
      if (reports.get(i).error().isEmpty()) {
        Figures figures = measure(candidate.id(), candidate::start);
        reports.set(i, reports.get(i).withFigures(figures));
      }
    }
    List<ProviderReport> floors = peers.isEmpty() ? List.of() : floors(candidates);
    Map<String, List<Fact>> facts = sideBySide.run(candidates);
    reports.replaceAll(report -> report.withFacts(facts.getOrDefault(report.id(), List.of())));
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    return new Report(
        Instant.now(),
        settings.effort(),
        settings.seed(),
        took,
        machine.after(),
        reports,
        floors,
        Optional.empty());
  }

  /** Measures the least that a lock costs on the servers of these. */
  private List<ProviderReport> floors(List<Candidate> candidates) {
    if (measurements.isEmpty()) {
      return List.of();
    }
    return Floor.of(candidates.stream().map(Candidate::id).toList()).stream()
        .map(floor -> ProviderReport.ofFloor(floor.id(), measure(floor.id(), floor::start)))
        .toList();
  }

  private List<ProviderReport> judge(List<Candidate> candidates) {
    if (!(runner instanceof RunNoRule)) {
      progress.rules();
    }
    ServerTurns turns = new ServerTurns();
    Room room = Room.ofThisMachine();
    ExecutorService threads = Executors.newFixedThreadPool(candidates.size());
    try {
      Map<Candidate, Future<ProviderReport>> running = new HashMap<>();
      for (Candidate candidate : Candidate.inOrderOfBeginning(candidates)) {
        Room.Place place = room.enter();
        running.put(candidate, threads.submit(() -> judge(candidate, turns, place)));
      }
      List<ProviderReport> reports = new ArrayList<>();
      for (Candidate candidate : candidates) {
        reports.add(Objects.requireNonNull(running.get(candidate)).get());
      }
      return reports;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LockException("The comparison was interrupted.", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(Errors.describe(e), e);
    } finally {
      threads.shutdownNow();
    }
  }

  /** One that cannot be judged does not keep the others from it. */
  private ProviderReport judge(Candidate candidate, ServerTurns turns, Room.Place place) {
    Progress told = progress.of(candidate.id(), place::calm);
    try (place) {
      return runner.run(candidate, settings, timeScale, told, turns);
    } catch (RuntimeException | IOException e) {
      String why = Errors.describe(e);
      progress.failed(candidate.id(), why);
      return broken(candidate, why);
    }
  }

  private Figures measure(String id, Supplier<Backend> server) {
    Figures figures = new Figures();
    if (measurements.isEmpty()) {
      return figures;
    }
    progress.figures(id);
    try (Backend backend = server.get()) {
      for (Measurement measurement : measurements) {
        take(measurement, backend, figures);
      }
    } catch (RuntimeException e) {
      String why = Errors.describe(e);
      progress.failed(id, why);
      measurements.forEach(measurement -> figures.failed(why, measurement.measures()));
    }
    return figures;
  }

  private void take(Measurement measurement, Backend backend, Figures figures) {
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

  private static ProviderReport broken(Candidate candidate, String why) {
    return new ProviderReport(
        candidate.id(),
        candidate.version(),
        "none",
        "none",
        candidate.capabilities(),
        List.of(),
        new Figures(),
        why,
        candidate.isPeer());
  }
}
