package dev.interlock.quorum;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.tck.internal.history.Hold;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * A JVM that fights for a few locks on several threads until its standard input ends, whatever
 * happens. It writes a line for each hold once that is over, for each call that took long, and for
 * what no caller should see.
 */
final class ContenderMain {
  static final String READY = "ready";
  static final String STOPPED = "stopped";
  static final String HOLD = "hold";
  static final String SLOW = "slow";
  static final String WRONG = "wrong";

  /** How much longer than its limit a call must take to be told. */
  private static final Duration WORTH_TELLING = Duration.ofMillis(500);

  private static final int THREADS = 3;
  private static final Duration STEP = Duration.ofMillis(10);
  private static final Duration WITHOUT_LIMIT = Duration.ZERO;

  private final LockClient client;
  private final String label;
  private final List<String> names;
  private final Duration lease;
  private volatile boolean stopped;

  private ContenderMain(LockClient client, String label, List<String> names, Duration lease) {
    this.client = client;
    this.label = label;
    this.names = names;
    this.lease = lease;
  }

  /** Takes URI, label, names, lease and seed, and stops once there is nothing more to read. */
  public static void main(String[] args) throws Exception {
    List<String> names = List.of(args[2].split(",", -1));
    SplittableRandom random = new SplittableRandom(Long.parseLong(args[4]));
    try (LockClient client = Locks.open(args[0])) {
      ContenderMain contender = new ContenderMain(client, args[1], names, Duration.parse(args[3]));
      List<Thread> threads = IntStream.range(0, THREADS)
          .mapToObj(number -> contender.thread(number, random.split()))
          .toList();
      tell(READY);
      threads.forEach(Thread::start);
      awaitEndOfInput();
      contender.stopped = true;
      for (Thread thread : threads) {
        thread.join();
      }
      tell(STOPPED);
    }
  }

  private static void awaitEndOfInput() throws IOException {
    while (System.in.read() >= 0) {
      // Nobody writes anything.
    }
  }

  private static void tell(Object... words) {
    StringBuilder line = new StringBuilder();
    for (Object word : words) {
      line.append(line.isEmpty() ? "" : "\t").append(word);
    }
    synchronized (System.out) {
      System.out.println(line);
      System.out.flush();
    }
  }

  private Thread thread(int number, SplittableRandom random) {
    Thread thread = new Thread(() -> fight(label + "-" + number, random));
    thread.setDaemon(true);
    return thread;
  }

  private void fight(String who, SplittableRandom random) {
    try {
      for (int holds = 0; !stopped; ) {
        Optional<Lease> acquired = acquire(random);
        if (acquired.isPresent()) {
          hold(who + "-" + ++holds, acquired.get(), random);
        } else {
          Thread.sleep(STEP.toMillis());
        }
      }
    } catch (InterruptedException | RuntimeException e) {
      tell(WRONG, who, e.toString().replaceAll("\\s", " "));
    }
  }

  private Optional<Lease> acquire(SplittableRandom random) throws InterruptedException {
    LockRequest request =
        LockRequest.of(names.get(random.nextInt(names.size()))).withLease(lease);
    if (random.nextInt(3) == 0) {
      request = request.renewing();
    }
    Duration limit =
        random.nextInt(4) == 0 ? WITHOUT_LIMIT : Duration.ofMillis(random.nextLong(50, 1_500));
    long start = System.nanoTime();
    try {
      return limit.isZero()
          ? client.tryAcquire(request)
          : Optional.of(client.acquire(request.withWait(limit)));
    } catch (LockException e) {
      return Optional.empty(); // held by another, or too many members failed just now
    } finally {
      ended("acquire", start, limit);
    }
  }

  /** Mostly for a moment, and now and then for longer than a lease. */
  private void hold(String owner, Lease lease, SplittableRandom random)
      throws InterruptedException {
    Hold hold = Hold.begin(owner, lease, true);
    long time = random.nextInt(10) == 0
        ? random.nextLong(this.lease.toNanos() * 3 / 2)
        : random.nextLong(STEP.toNanos() * 2);
    long validAt = hold.acquired();
    boolean lost = false;
    while (!lost && System.nanoTime() - hold.acquired() < time) {
      Thread.sleep(STEP.toMillis());
      long now = System.nanoTime();
      lost = !lease.isValid();
      validAt = lost ? validAt : now;
    }
    // One that was lost early was relied on until then; one that is renewed lasts longer.
    long until = lost ? validAt : Math.max(validAt, hold.until());
    long start = System.nanoTime();
    tell(HOLD, hold.name(), owner, hold.token(), hold.acquired(), until, start);
    try {
      lease.release();
    } catch (LockException e) {
      // Lost, or not confirmed: both are what the faults are for.
    } finally {
      ended("release", start, WITHOUT_LIMIT);
    }
  }

  private static void ended(String call, long start, Duration limit) {
    Duration over = Duration.ofNanos(System.nanoTime() - start).minus(limit);
    if (over.compareTo(WORTH_TELLING) > 0) {
      tell(SLOW, call, limit.toMillis(), over.toMillis());
    }
  }
}
