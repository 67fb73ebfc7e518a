package dev.interlock.tck.internal.rules;

import dev.interlock.Lease;
import dev.interlock.LockTimeoutException;
import dev.interlock.tck.internal.run.Neighbours;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.worker.ProcessWorker;
import dev.interlock.tck.internal.worker.Worker;
import dev.interlock.tck.internal.worker.WorkerSpace;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** Rule T4. */
public final class RegisterRules {
  private static final long LEASE = 200;
  private static final int THREADS = 2;
  private static final int MOST_ROUNDS = 5;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);
  private static final String REGISTER = "register";

  private RegisterRules() {}

  @Rule(
      value = "T4",
      check = "that each hold has a token of its own, larger than that of the hold it follows",
      neighbours = Neighbours.FEW,
      limit = 150)
  public static void aFencedRegisterLosesNoUpdate(RuleRun run) throws Exception {
    Worker keeper = run.worker();
    int port = keeper.call(RegisterRules::openRegister);
    String name = run.name();
    long time = Duration.ofMillis(run.amount(2_500, 12_000, 30_000)).toNanos();
    List<Worker> workers = new ArrayList<>(List.of(run.worker(), run.worker()));
    if (!run.oneJvm()) {
      workers.add(run.ownWorker());
    }
    long additions = 0;
    long refused = 0;
    for (int round = 0; round < MOST_ROUNDS && refused == 0; round++) {
      additions += contend(run, workers, name, port, time);
      refused = keeper.call(RegisterRules::refused);
    }
    long value = keeper.call(RegisterRules::closeRegister);
    run.count(additions);
    run.expect(
        value == additions,
        "the register stands at " + additions + ", for so many additions were accepted",
        "it stands at " + value);
    run.requireHit(refused, "holders that went on after the end of their lease");
    run.note(additions + " additions, none lost; " + refused + " requests of late holders refused");
  }

  /** Answers how many additions were accepted. */
  private static long contend(RuleRun run, List<Worker> workers, String name, int port, long time)
      throws Exception {
    long lease = run.ms(LEASE).toNanos();
    List<CompletableFuture<Long>> added = new ArrayList<>();
    for (Worker worker : workers) {
      for (int t = 0; t < THREADS; t++) {
        long seed = run.random().nextLong();
        added.add(worker.start(t, space -> add(space, name, port, time, lease, seed)));
      }
    }
    if (workers.get(workers.size() - 1) instanceof ProcessWorker own) {
      stopNowAndThen(run, own, time);
    }
    long additions = 0;
    for (int i = 0; i < added.size(); i++) {
      additions += workers.get(i / THREADS).result(added.get(i));
    }
    return additions;
  }

  public static int openRegister(WorkerSpace space) throws IOException {
    FencedRegister register = FencedRegister.open();
    space.keep(REGISTER, register);
    return register.port();
  }

  public static long refused(WorkerSpace space) {
    return space.kept(REGISTER, FencedRegister.class).refused();
  }

  /** Answers the number. */
  public static long closeRegister(WorkerSpace space) throws IOException {
    FencedRegister register = space.kept(REGISTER, FencedRegister.class);
    register.close();
    return register.value();
  }

  /** Adds one again and again without a look at its lease; answers how often it was accepted. */
  public static long add(WorkerSpace space, String name, int port, long time, long lease, long seed)
      throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    long accepted = 0;
    long end = System.nanoTime() + time;
    try (FencedRegister.Client register = new FencedRegister.Client(port)) {
      while (System.nanoTime() - end < 0) {
        Optional<Lease> acquired = acquire(space, name, lease);
        if (acquired.isEmpty()) {
          continue;
        }
        Lease held = acquired.get();
        long token = held.fencingToken();
        long value = register.read(token);
        boolean tooLong = random.nextInt(6) == 0;
        RuleRun.pause(Duration.ofNanos(
            tooLong ? lease + random.nextLong(lease) : random.nextLong(lease / 20)));
        accepted += value >= 0 && register.write(token, value + 1) ? 1 : 0;
        Leases.release(held);
      }
    }
    return accepted;
  }

  /** How long a wait may take is for other rules to judge. */
  private static Optional<Lease> acquire(WorkerSpace space, String name, long lease)
      throws InterruptedException {
    try {
      return Optional.of(space.acquire(name, Duration.ofNanos(lease), LONGEST_WAIT));
    } catch (LockTimeoutException e) {
      return Optional.empty();
    }
  }

  private static void stopNowAndThen(RuleRun run, ProcessWorker own, long time) throws Exception {
    long end = System.nanoTime() + time;
    while (System.nanoTime() - end < 0) {
      RuleRun.pause(Duration.ofMillis(run.random().nextInt(50, 250)));
      own.pause();
      RuleRun.pause(run.ms(run.random().nextInt((int) LEASE, 2 * (int) LEASE)));
      own.resume();
      run.fault("SIGSTOP of a holder for longer than its lease");
    }
  }
}
