package dev.interlock.contract;

import static dev.interlock.contract.KilledHolderMain.READ_WRITE;
import static dev.interlock.contract.KilledHolderMain.SEMAPHORE;
import static dev.interlock.contract.KilledHolderMain.SIZE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.contract.KilledHolder.Part;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * JVMs that hold permits or read, whose leases are renewed, are killed with kill -9, at any point
 * of what they do. Then no permit is lost and none is there twice, and a writer who waits gets in.
 *
 * <p>{@code -Dinterlock.test.kills=1000} kills as many; {@code -Dinterlock.test.seed} repeats a
 * run's choices.
 */
public abstract class KilledHoldersContract {
  private static final Duration LEASE = Duration.ofSeconds(3);

  /** Of what is taken to count what is free. */
  private static final Duration COUNTING = Duration.ofMinutes(1);

  /** For an answer to this JVM: one that a busy machine gives late ends no test. */
  private static final Duration PATIENT = Duration.ofSeconds(20);

  /** How long after the end of the last lease who waits must have got in. */
  private static final Duration BOUND = Duration.ofSeconds(1);

  /**
   * How many times as long as this JVM was late a request may be: some threads and JVMs share it.
   */
  private static final int PATIENCE = 4;

  private static final int TOGETHER = 4;
  private static final int KILLS = Integer.getInteger("interlock.test.kills", 12);
  private static final long SEED =
      Long.getLong("interlock.test.seed", ThreadLocalRandom.current().nextLong());

  private final SplittableRandom random = new SplittableRandom(SEED);
  private long latest;
  private long latestAllowed;

  /** For subclasses. */
  protected KilledHoldersContract() {}

  /** Where the locks are, in a namespace of this test, with options: the same place each time. */
  protected abstract String uri();

  @Test
  void permitsComeBackOnceAndAWriterGetsIn() throws Exception {
    String uri = uri() + "&lease=" + LEASE;
    List<KilledHolder> next = start(uri, TOGETHER);
    String patient = uri + "&timeout=" + PATIENT;
    try (LockClient first = KilledHolderMain.open(patient);
        LockClient second = KilledHolderMain.open(patient);
        Lateness lateness = new Lateness()) {
      for (int killed = 0; killed < KILLS; killed += TOGETHER) {
        List<KilledHolder> holders = next;
        for (KilledHolder holder : holders) {
          holder.awaitOpen();
        }
        // They start while leases run out.
        next = killed + TOGETHER < KILLS ? start(uri, TOGETHER) : List.of();
        try {
          round(first, second, holders, lateness);
        } catch (Exception | AssertionError e) {
          throw new AssertionError("after %d kills, seed %d".formatted(killed, SEED), e);
        }
      }
    } finally {
      next.forEach(KilledHolder::close);
    }
    System.out.printf(
        "%s: %d kills, who waited got in at the latest %d ms after the last lease, of %d allowed%n",
        getClass().getSimpleName(), KILLS, latest / 1_000_000, latestAllowed / 1_000_000);
  }

  /**
   * Whether a JVM that is to be killed ends when this one is gone, while it tries to open a client.
   *
   * @param nowhere a URI at which there is no server
   */
  protected static boolean endsWithItsParent(String nowhere)
      throws IOException, InterruptedException {
    try (KilledHolder holder = KilledHolder.start(nowhere)) {
      return holder.endsWithItsInput();
    }
  }

  private static List<KilledHolder> start(String uri, int count) throws IOException {
    List<KilledHolder> holders = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      holders.add(KilledHolder.start(uri));
    }
    return holders;
  }

  private void round(
      LockClient first, LockClient second, List<KilledHolder> holders, Lateness lateness)
      throws Exception {
    try {
      int permits = 0;
      long permitsUntil = System.nanoTime();
      long readersUntil = permitsUntil;
      long allUntil = Long.MAX_VALUE;
      for (KilledHolder holder : holders) {
        Part part = part(SIZE - 1 - permits, holder == holders.get(0));
        long until = holder.hold(part);
        permits += part.permits();
        allUntil = Math.min(allUntil, until);
        permitsUntil = part.permits() > 0 ? Math.max(permitsUntil, until) : permitsUntil;
        readersUntil = part.reads() ? Math.max(readersUntil, until) : readersUntil;
      }
      int free = free(first, second);
      if (System.nanoTime() - allUntil
          < 0) { // later on a lease may have been lost on a busy machine
        assertThat(free).as("free beside %d", permits).isBetween(0, SIZE - permits);
      }
      Waiting waiting = random.nextBoolean() ? new Waiting(first, second) : null;
      for (KilledHolder holder : holders) {
        Thread.sleep(random.nextInt(150));
        holder.kill();
      }
      lateness.reset();
      long end = Math.max(leaseEnd(second, SEMAPHORE), leaseEnd(second, READ_WRITE));
      if (waiting == null) {
        waiting = new Waiting(first, second);
      }
      waiting.finish();
      judge(waiting, end, lateness.nanos());
      assertThat(waiting.allAt - permitsUntil)
          .as("all permits were given too early")
          .isPositive();
      assertThat(waiting.writerAt - readersUntil).as("a writer came too early").isPositive();
      assertThat(free(first, second)).as("free at the end").isEqualTo(SIZE);
      assertThat(Stream.of(SEMAPHORE, READ_WRITE).map(first::inspect)).allMatch(Optional::isEmpty);
    } finally {
      holders.forEach(KilledHolder::close);
    }
  }

  /** Reads, has some permits, or both. */
  private Part part(int mostPermits, boolean busy) {
    int permits = random.nextInt(Math.min(mostPermits, 2) + 1);
    return new Part(permits, permits == 0 || random.nextBoolean(), busy);
  }

  private void judge(Waiting waiting, long end, long late) {
    long waited = Math.max(waiting.allAt, waiting.writerAt) - end;
    long allowed = BOUND.toNanos() + PATIENCE * late;
    if (waited > latest) {
      latest = waited;
      latestAllowed = allowed;
    }
    assertThat(Duration.ofNanos(waited))
        .as("from the end of the last lease until who waited got in")
        .isLessThan(Duration.ofNanos(allowed));
  }

  /** How many permits can be taken one by one, by two clients in turn. */
  private static int free(LockClient first, LockClient second) {
    List<Lease> taken = new ArrayList<>();
    for (int i = 0; i <= SIZE; i++) {
      LockClient client = i % 2 == 0 ? first : second;
      LockRequest one = LockRequest.of(SEMAPHORE).permits(1, SIZE).withLease(COUNTING);
      client.tryAcquire(one).ifPresent(taken::add);
    }
    taken.forEach(Lease::release);
    return taken.size();
  }

  /** When the leases of all who hold this now will have ended, if nobody renews them. */
  private static long leaseEnd(LockClient client, String name) {
    Optional<HoldInfo> info = client.inspect(name);
    long now = System.nanoTime();
    return info.stream()
        .flatMap(one -> Stream.concat(Stream.of(one), one.others().stream()))
        .mapToLong(one -> now + one.remaining().toNanos())
        .max()
        .orElse(now);
  }

  /** A writer, and one that wants all permits. */
  private static final class Waiting {
    private final CompletableFuture<Lease> writer;
    private final CompletableFuture<Lease> all;
    private volatile long writerAt;
    private volatile long allAt;

    Waiting(LockClient first, LockClient second) {
      writer = first
          .acquireAsync(LockRequest.of(READ_WRITE).withLease(COUNTING).fair(true))
          .whenComplete((lease, e) -> {
            writerAt = System.nanoTime();
          });
      all = second
          .acquireAsync(LockRequest.of(SEMAPHORE).permits(SIZE, SIZE).withLease(COUNTING))
          .whenComplete((lease, e) -> {
            allAt = System.nanoTime();
          });
    }

    void finish() throws Exception {
      writer.get(60, TimeUnit.SECONDS).release();
      all.get(60, TimeUnit.SECONDS).release();
    }
  }
}
