package dev.interlock.compare;

import dev.interlock.LockException;
import dev.interlock.compare.cli.Errors;
import dev.interlock.compare.facts.Fact;
import dev.interlock.compare.facts.Observation;
import dev.interlock.compare.report.Progress;
import dev.interlock.compare.servers.Backend;
import dev.interlock.compare.servers.ServerTurns;
import dev.interlock.compare.tck.Candidate;
import dev.interlock.tck.Effort;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Looks what happens to locks, each on a server of its own, all at the same time: most of the time
 * goes by in waiting for leases to end. What bears others is looked at beside the rest, on one more
 * server. Those that share a server take turns on it.
 */
final class SideBySide {
  /** And as many of what bears others; more would be in each other's way. */
  private static final int MOST_TOGETHER = 6;

  private final List<Observation> observations;
  private final Effort effort;
  private final Progress progress;
  private final ServerTurns turns = new ServerTurns();

  SideBySide(List<Observation> observations, Effort effort, Progress progress) {
    this.observations = observations;
    this.effort = effort;
    this.progress = progress;
  }

  /**
   * Looks.
   *
   * @return by provider and peer; none if nothing is to be looked at
   */
  Map<String, List<Fact>> run(List<Candidate> candidates) {
    if (observations.isEmpty()) {
      return Map.of();
    }
    progress.happenings();
    int together = Math.min(MOST_TOGETHER, candidates.size());
    ExecutorService threads = Executors.newFixedThreadPool(together);
    ExecutorService beside = Executors.newFixedThreadPool(together);
    try {
      Map<String, List<Future<List<Fact>>>> running = new LinkedHashMap<>();
      for (Candidate candidate : Candidate.inOrderOfBeginning(candidates)) {
        List<Future<List<Fact>>> parts = new ArrayList<>();
        parts.add(threads.submit(() -> one(candidate, of(candidate, false))));
        parts.add(beside.submit(() -> one(candidate, of(candidate, true))));
        running.put(candidate.id(), parts);
      }
      Map<String, List<Fact>> facts = new LinkedHashMap<>();
      for (Map.Entry<String, List<Future<List<Fact>>>> each : running.entrySet()) {
        facts.put(each.getKey(), inOrder(each.getValue()));
      }
      return facts;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LockException("The comparison was interrupted.", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(Errors.describe(e), e);
    } finally {
      threads.shutdownNow();
      beside.shutdownNow();
    }
  }

  /** What is looked at beside the rest, or the rest. On a given server, nothing is beside. */
  private List<Observation> of(Candidate candidate, boolean beside) {
    return observations.stream()
        .filter(one -> (candidate.uri().isEmpty() && one.happening().bearsOthers()) == beside)
        .toList();
  }

  private static List<Fact> inOrder(List<Future<List<Fact>>> parts)
      throws InterruptedException, ExecutionException {
    List<Fact> facts = new ArrayList<>();
    for (Future<List<Fact>> part : parts) {
      facts.addAll(part.get());
    }
    facts.sort(Comparator.comparing(Fact::happening));
    return facts;
  }

  private List<Fact> one(Candidate candidate, List<Observation> kind) throws InterruptedException {
    if (kind.isEmpty()) {
      return List.of();
    }
    try (Backend backend = candidate.start()) {
      Runnable turnEnds = turns.await(ServerTurns.address(backend, candidate.id()));
      try {
        return all(candidate, backend, kind);
      } finally {
        turnEnds.run();
      }
    } catch (RuntimeException e) {
      return failed(candidate, kind, Errors.describe(e));
    }
  }

  private List<Fact> all(Candidate candidate, Backend backend, List<Observation> kind)
      throws InterruptedException {
    List<Fact> facts = new ArrayList<>();
    for (Observation observation : kind) {
      facts.add(one(candidate, backend, observation));
    }
    return facts;
  }

  private Fact one(Candidate candidate, Backend backend, Observation observation)
      throws InterruptedException {
    long start = System.nanoTime();
    try {
      Fact fact = Observation.observeOrRepeat(observation, backend, effort);
      progress.happened(candidate.id(), fact, System.nanoTime() - start);
      return fact;
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      // One that cannot be brought about does not keep the others from it.
      Fact fact = Fact.failed(observation.happening(), Errors.describe(e));
      progress.happened(candidate.id(), fact, System.nanoTime() - start);
      return fact;
    }
  }

  private List<Fact> failed(Candidate candidate, List<Observation> kind, String why) {
    progress.failed(candidate.id(), why);
    return kind.stream()
        .map(observation -> Fact.failed(observation.happening(), why))
        .toList();
  }
}
