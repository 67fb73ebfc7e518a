package dev.interlock.bench.runs;

import dev.interlock.bench.subjects.CountedSubject;
import dev.interlock.bench.subjects.Subject;
import dev.interlock.measure.CountedClient;
import dev.interlock.measure.CountedRound;
import dev.interlock.measure.CountedScenario;
import dev.interlock.measure.HangException;
import dev.interlock.measure.Latency;
import dev.interlock.measure.Statistics;
import dev.interlock.measure.server.ServerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Measures locks that are held in parts, in turns: every round has each subject once. */
public final class CountedRun {
  /** Longer than other rounds: what starves shows only as long as the others go on. */
  private static final int TIMES_AS_LONG = 2;

  /** For how long the others wait until the clients of a peer that hung are closed. */
  private static final Duration CLOSING = Duration.ofSeconds(10);

  private final ServerAddress server;
  private final BenchPlan plan;
  private final String names;
  private final Progress progress;
  private final Duration closing;
  private final List<OpenSubjects.Failure> failures = new ArrayList<>();

  /**
   * Prepares.
   *
   * @param names what the names of this run's locks begin with
   */
  public CountedRun(ServerAddress server, BenchPlan plan, String names, Progress progress) {
    this(server, plan, names, progress, CLOSING);
  }

  CountedRun(
      ServerAddress server, BenchPlan plan, String names, Progress progress, Duration closing) {
    this.server = server;
    this.plan = plan;
    this.names = names;
    this.progress = progress;
    this.closing = closing;
  }

  /**
   * Measures a scenario. A subject that fails is left out; see {@link #failures}. Another library's
   * lock that hangs has shown something: its result says so, with the rounds before. Its clients
   * are closed at once, so that its threads are not at work beside the others' rounds.
   */
  public List<CountedResult> measure(CountedScenario scenario, List<CountedSubject> subjects)
      throws InterruptedException {
    progress.note(scenario.id() + ": " + scenario.description());
    Map<CountedSubject, Rounds> open = new LinkedHashMap<>();
    List<Rounds> all = new ArrayList<>();
    try {
      for (CountedSubject subject : subjects) {
        Rounds rounds = new Rounds(scenario, subject);
        all.add(rounds);
        open.put(subject, rounds);
        attempt(rounds, open, () -> {
          for (int i = 0; i < scenario.clients(); i++) {
            rounds.clients.add(subject.factory().apply(server));
          }
          rounds.run(plan.warmUp());
          rounds.reset();
        });
      }
      for (int round = 0; round < plan.rounds(); round++) {
        progress.begin(scenario.id() + " round " + (round + 1) + "/" + plan.rounds() + ":");
        List<Rounds> turned = new ArrayList<>(open.values());
        Collections.rotate(turned, -round);
        for (Rounds rounds : turned) {
          if (rounds.hangs == null) {
            attempt(rounds, open, () -> rounds.run(length()));
            progress.part(rounds.subject.id(), rounds.last());
          }
        }
        progress.end();
      }
      return results(List.copyOf(open.values()));
    } finally {
      all.stream()
          .filter(rounds -> rounds.hangs == null)
          .flatMap(rounds -> rounds.clients.stream())
          .forEach(this::close);
    }
  }

  private Duration length() {
    return plan.round().multipliedBy(TIMES_AS_LONG);
  }

  private void attempt(Rounds rounds, Map<CountedSubject, Rounds> open, Step step)
      throws InterruptedException {
    CountedSubject subject = rounds.subject;
    String scenario = rounds.scenario.id();
    try {
      step.run();
    } catch (RuntimeException e) {
      if (e instanceof HangException hang && subject.kind() == Subject.Kind.PEER) {
        rounds.hangs = hang.how();
        progress.hangs(subject.id(), scenario, hang.how());
        closeWhatHung(rounds.clients);
        return;
      }
      String message = e.getMessage() == null ? e.toString() : e.getMessage();
      OpenSubjects.Failure failure = new OpenSubjects.Failure(subject.id(), scenario, message);
      failures.add(failure);
      open.remove(subject);
      progress.failed(failure);
    }
  }

  /** What hangs may hang in its close, too: each has a thread, and nobody waits for it for long. */
  private void closeWhatHung(List<CountedClient> clients) throws InterruptedException {
    CompletableFuture<?>[] closes = clients.stream()
        .map(client -> CompletableFuture.runAsync(client::close, CountedRun::onDaemon))
        .toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(closes).get(closing.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      progress.note("not all of its clients could be closed before the others went on: " + e);
    }
  }

  private static void onDaemon(Runnable close) {
    Thread thread = new Thread(close, "close");
    thread.setDaemon(true);
    thread.start();
  }

  private void close(CountedClient client) {
    try {
      client.close();
    } catch (RuntimeException e) {
      progress.note("a client could not be closed: " + e);
    }
  }

  private static List<CountedResult> results(List<Rounds> all) {
    List<CountedResult> alone = all.stream().map(Rounds::result).toList();
    CountedResult peer = alone.stream()
        .filter(result -> result.kind() == Subject.Kind.PEER)
        .findFirst()
        .orElse(null);
    return peer == null ? alone : alone.stream().map(one -> one.beside(peer)).toList();
  }

  /** Subjects that could not be measured to the end. */
  public List<OpenSubjects.Failure> failures() {
    return List.copyOf(failures);
  }

  private interface Step {
    void run() throws InterruptedException;
  }

  /** The rounds of one subject. */
  private final class Rounds {
    private final CountedScenario scenario;
    private final CountedSubject subject;
    private final List<CountedClient> clients = new ArrayList<>();
    private final List<Double> perSecond = new ArrayList<>();
    private final List<Histogram> acquire = new ArrayList<>();
    private long excesses;
    private @Nullable String hangs;

    Rounds(CountedScenario scenario, CountedSubject subject) {
      this.scenario = scenario;
      this.subject = subject;
      scenario.ways().forEach(way -> acquire.add(new Histogram(3)));
    }

    void run(Duration length) throws InterruptedException {
      String name = names + subject.id() + ":" + scenario.id();
      CountedRound.Result result = CountedRound.run(scenario, clients, name, length);
      perSecond.add(result.sectionsPerSecond());
      for (int way = 0; way < acquire.size(); way++) {
        acquire.get(way).add(result.acquire().get(way));
      }
      excesses += result.excesses();
    }

    /** Forgets the speed of the warm-up, not what it did wrong. */
    void reset() {
      perSecond.clear();
      acquire.forEach(Histogram::reset);
    }

    double last() {
      return perSecond.isEmpty() ? 0 : perSecond.get(perSecond.size() - 1);
    }

    CountedResult result() {
      List<CountedResult.Way> ways = new ArrayList<>();
      for (int way = 0; way < acquire.size(); way++) {
        ways.add(
            new CountedResult.Way(scenario.ways().get(way).name(), Latency.of(acquire.get(way))));
      }
      return new CountedResult(
          scenario.id(),
          scenario.description(),
          subject.id(),
          subject.label(),
          subject.kind(),
          subject.library(),
          perSecond.isEmpty()
              ? 0
              : Statistics.median(
                  perSecond.stream().mapToDouble(Double::doubleValue).toArray()),
          List.copyOf(perSecond),
          ways,
          null,
          null,
          excesses,
          hangs);
    }
  }
}
