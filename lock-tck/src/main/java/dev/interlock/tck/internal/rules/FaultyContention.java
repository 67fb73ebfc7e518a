package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.TckServer;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.fault.Injection;
import dev.interlock.tck.internal.fault.MessageFault;
import dev.interlock.tck.internal.history.Hold;
import dev.interlock.tck.internal.history.Journal;
import dev.interlock.tck.internal.rules.CountedContention.Part;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.worker.ProcessWorker;
import dev.interlock.tck.internal.worker.Worker;
import dev.interlock.tck.internal.worker.WorkerSpace;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** Threads in several JVMs that fight for the same locks while everything around them fails. */
public final class FaultyContention {
  private static final int THREADS = 2;
  private static final int HARM_ONE_IN = 60;
  private static final int LOSE_NTH = 10;
  private static final int LOSE_TIMES = 3;
  private static final long LEASE = 400;

  /** What a thread of a worker gets to know. */
  public record Plan(
      List<String> names,
      long nanos,
      long seed,
      long lease,
      String journals,
      boolean renewable,
      boolean fenced,
      List<Part> parts)
      implements Serializable {}

  private final RuleRun run;
  private final List<String> names = new ArrayList<>();
  private final long nanos;
  private final Path journals;
  private final List<Part> parts;
  private final List<CompletableFuture<Integer>> outcomes = new ArrayList<>();
  private final List<Worker> workers = new ArrayList<>();

  private FaultyContention(RuleRun run, Duration time, List<Part> parts, Path journals) {
    this.run = run;
    this.parts = parts;
    this.nanos = time.toNanos();
    this.journals = journals;
    names.add(run.name());
    names.add(run.name());
  }

  /** The same for the whole lock. */
  static List<Hold> run(RuleRun run, Duration time) throws Exception {
    return run(run, time, List.of(Part.WHOLE));
  }

  /**
   * Fights for parts of the locks, each time for one of these, and returns what everybody held,
   * those who were killed included.
   */
  static List<Hold> run(RuleRun run, Duration time, List<Part> parts) throws Exception {
    Path journals = Files.createTempDirectory("interlock-tck-");
    try {
      new FaultyContention(run, time, parts, journals).fight();
      return Journal.readAll(journals);
    } finally {
      delete(journals);
    }
  }

  private static void delete(Path directory) throws IOException {
    try (var files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
    }
    Files.deleteIfExists(directory);
  }

  private void fight() throws Exception {
    FaultProxy first = run.proxy();
    FaultProxy second = run.proxy();
    workers.add(run.worker(first));
    workers.add(run.worker(second));
    if (!run.oneJvm()) {
      workers.add(run.ownWorker(first));
      workers.add(run.ownWorker(second));
    }
    // Not before all of them have begun, for opening a client may fail.
    first.harmAtRandom(run.random().split(), HARM_ONE_IN);
    second.harmAtRandom(run.random().split(), HARM_ONE_IN);
    // The one that must not be left to chance.
    for (FaultProxy proxy : List.of(first, second)) {
      proxy.inject(Injection.of(MessageFault.REPLY_LOST, "", LOSE_NTH, LOSE_TIMES, Duration.ZERO));
    }
    workers.forEach(this::start);
    if (run.oneJvm()) {
      cutNowAndThen(List.of(first, second));
    } else {
      ProcessWorker killed = (ProcessWorker) workers.remove(workers.size() - 1);
      ProcessWorker stopped = (ProcessWorker) workers.get(workers.size() - 1);
      harmProcesses(stopped, killed, List.of(first, second));
      outcomes.subList(outcomes.size() - THREADS, outcomes.size()).clear();
    }
    for (int i = 0; i < outcomes.size(); i++) {
      run.count(workers.get(i / THREADS).result(outcomes.get(i)));
    }
    for (MessageFault fault : MessageFault.values()) {
      if (first.hits(fault) + second.hits(fault) > 0) {
        run.fault(fault.words());
      }
    }
    run.requireHit(
        first.hits(MessageFault.REPLY_LOST) + second.hits(MessageFault.REPLY_LOST),
        MessageFault.REPLY_LOST.words());
    first.heal();
    second.heal();
    for (String name : names) {
      run.expectFree(run.client(), name, run.pastLease(LEASE, 3_000), "when the faults are over");
    }
  }

  private void start(Worker worker) {
    for (int t = 0; t < THREADS; t++) {
      Plan plan = new Plan(
          names,
          nanos,
          run.random().nextLong(),
          run.ms(LEASE).toNanos(),
          journals.toString(),
          run.has(Capability.RENEWABLE),
          run.has(Capability.FENCED),
          parts);
      outcomes.add(worker.start(t, space -> work(space, plan)));
    }
  }

  private void cutNowAndThen(List<FaultProxy> proxies) throws Exception {
    long end = System.nanoTime() + nanos;
    boolean stalled = false;
    while (System.nanoTime() - end < 0) {
      RuleRun.pause(Duration.ofMillis(run.random().nextInt(100, 350)));
      FaultProxy proxy = proxies.get(run.random().nextInt(proxies.size()));
      if (proxy.cut() > 0) {
        run.fault("all connections of a client cut");
      }
      if (!stalled) {
        stalled = true;
        stallServer();
      }
    }
  }

  private void harmProcesses(ProcessWorker stopped, ProcessWorker killed, List<FaultProxy> proxies)
      throws Exception {
    long end = System.nanoTime() + nanos;
    boolean alive = true;
    while (System.nanoTime() - end < 0) {
      RuleRun.pause(Duration.ofMillis(run.random().nextInt(100, 500)));
      stopped.pause();
      RuleRun.pause(run.ms(run.random().nextInt(50, 2 * (int) LEASE)));
      stopped.resume();
      run.fault("SIGSTOP of a client, for up to two leases");
      if (proxies.get(run.random().nextInt(proxies.size())).cut() > 0) {
        run.fault("all connections of a client cut");
      }
      if (alive && System.nanoTime() - end > -nanos / 2) {
        alive = false;
        killed.kill();
        run.fault("kill -9 of a client at work");
        stallServer();
      }
    }
    if (alive) {
      killed.kill();
    }
  }

  private void stallServer() throws Exception {
    if (run.offers(TckFault.PAUSE)) {
      TckServer server = run.server();
      server.pause();
      RuleRun.pause(run.ms(LEASE + LEASE / 2));
      server.resume();
      run.fault("a stall of the server for longer than the leases");
    }
  }

  /** Acquires, holds and releases, whatever happens; answers how often it acquired. */
  public static int work(WorkerSpace space, Plan plan) throws Exception {
    SplittableRandom random = new SplittableRandom(plan.seed());
    String thread = Thread.currentThread().getName();
    long deadline = System.nanoTime() + plan.nanos();
    int holds = 0;
    Path file = Path.of(plan.journals()).resolve(thread.replaceAll("[^A-Za-z0-9-]", "_"));
    try (Journal journal = Journal.open(file)) {
      while (System.nanoTime() - deadline < 0) {
        Part part = plan.parts().get(random.nextInt(plan.parts().size()));
        Optional<Lease> acquired = acquire(space, plan, part, random);
        if (acquired.isEmpty()) {
          RuleRun.pause(Duration.ofMillis(3));
          continue;
        }
        Lease lease = acquired.get();
        Hold hold = Hold.begin(thread + " hold " + ++holds, lease, plan.fenced())
            .withUnits(part.units(), part.capacity());
        journal.enter(hold);
        RuleRun.pause(Duration.ofNanos(timeToHold(plan, random)));
        journal.enter(hold.end(lease));
        release(lease);
      }
    }
    return holds;
  }

  /** Mostly short; some hold for longer than their lease, and do not even notice. */
  private static long timeToHold(Plan plan, SplittableRandom random) {
    int draw = random.nextInt(40);
    if (draw == 0) {
      return plan.lease() * 3 / 2;
    }
    return random.nextLong(draw < 10 ? plan.lease() / 2 : plan.lease() / 100);
  }

  private static Optional<Lease> acquire(
      WorkerSpace space, Plan plan, Part part, SplittableRandom random)
      throws InterruptedException {
    String name = plan.names().get(random.nextInt(plan.names().size()));
    LockRequest request = part.of(name).withLease(Duration.ofNanos(plan.lease()));
    if (plan.renewable() && random.nextBoolean()) {
      request = request.renewing();
    }
    try {
      return random.nextInt(4) == 0
          ? space.client().tryAcquire(request)
          : Optional.of(space.client().acquire(request.withWait(shortWait(plan, random))));
    } catch (LockException e) {
      return Optional.empty();
    }
  }

  /** Whoever waits on looks again when the lease is over; one who comes anew looks at once. */
  private static Duration shortWait(Plan plan, SplittableRandom random) {
    return Duration.ofNanos(random.nextLong(plan.lease() / 20, plan.lease() / 2));
  }

  private static void release(Lease lease) {
    try {
      lease.release();
    } catch (LockException e) {
      // Lost, or not confirmed: both are what the faults are for.
    }
  }
}
