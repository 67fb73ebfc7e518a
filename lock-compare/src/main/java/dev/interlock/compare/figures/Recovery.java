package dev.interlock.compare.figures;

import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.compare.cli.ChildJvm;
import dev.interlock.compare.peers.Clients;
import dev.interlock.compare.servers.Backend;
import dev.interlock.tck.Effort;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Measures how soon a lock is free after its holder got kill -9. */
final class Recovery implements Measurement {
  private static final Duration LEASE = Duration.ofSeconds(1);
  private static final Duration WAIT = Duration.ofSeconds(30);
  private static final String NAME = "compare-recovery";

  /** A holder that this machine keeps from renewing loses its lease while it lives. */
  private static final int MOST_TRIES = 20;

  /** More JVMs at once would be in each other's way. */
  private static final int MOST_TOGETHER = 3;

  @Override
  public String title() {
    return "recovery after kill -9";
  }

  @Override
  public List<Measure> measures() {
    return List.of(Measure.RECOVERY);
  }

  @Override
  public void take(Backend backend, Effort effort, Figures into) throws Exception {
    if (backend.isInOneJvm()) {
      into.none("the lock dies with its JVM", Measure.RECOVERY);
      return;
    }
    if (!Clients.isOurs(backend.uri())) {
      into.none("the library does not tell how long a lock is still held", Measure.RECOVERY);
      return;
    }
    int rounds = effort.of(3, 5, 10);
    List<Double> millis = new ArrayList<>();
    Waiting waiting = new Waiting();
    try (LockClient client = waiting.open(backend.uri())) {
      for (int tries = 0; millis.size() < rounds; tries++) {
        if (tries == MOST_TRIES) {
          throw new IllegalStateException(
              "holders lost their leases of " + LEASE + " before they were killed");
        }
        int together = Math.min(MOST_TOGETHER, rounds - millis.size());
        for (long nanos : deaths(backend.uri(), client, waiting, together)) {
          millis.add(nanos / 1e6);
        }
      }
    }
    into.put(Measure.RECOVERY, Collections.max(millis), "worst of " + rounds);
    List<Figures.Point> points = new ArrayList<>();
    for (double each : millis) {
      points.add(new Figures.Point("round " + (points.size() + 1), each));
    }
    into.put(Curve.RECOVERY, points);
  }

  /**
   * Kills holders of locks of their own, when all have begun, so that their leases end together.
   *
   * @return nanoseconds from the end of each dead holder's lease to the next hold, without those of
   *     holders that lost their leases before
   */
  private static List<Long> deaths(String uri, LockClient client, Waiting waiting, int count)
      throws Exception {
    List<ChildJvm> holders = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        holders.add(start(uri, NAME + "-" + i));
      }
      List<CompletableFuture<Long>> waits = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        holders.get(i).expect(HolderMain.HELD);
        waiting.reset();
        waits.add(next(client, NAME + "-" + i));
        waiting.await(waits.get(i));
      }
      List<Long> deaths = new ArrayList<>();
      List<Long> ends = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        deaths.add(System.nanoTime());
        holders.get(i).kill();
        // Asked after the death: before it the holder might renew once more. What the server says
        // counts from when it says so, which is not before it was asked.
        long asked = System.nanoTime();
        Optional<HoldInfo> hold = client.inspect(NAME + "-" + i);
        ends.add(asked + hold.map(info -> info.remaining().toNanos()).orElse(0L));
      }
      List<Long> late = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        long acquired = waits.get(i).get(WAIT.toSeconds() + 5, TimeUnit.SECONDS);
        if (acquired >= deaths.get(i)) {
          late.add(acquired - ends.get(i));
        }
      }
      return late;
    } finally {
      holders.forEach(ChildJvm::close);
    }
  }

  private static ChildJvm start(String uri, String name) throws IOException {
    ChildJvm holder = ChildJvm.start(HolderMain.class);
    holder.tell(uri);
    holder.tell(name);
    holder.tell(LEASE.toString());
    return holder;
  }

  private static CompletableFuture<Long> next(LockClient client, String name) {
    CompletableFuture<Long> acquired = new CompletableFuture<>();
    Thread next = new Thread(() -> acquire(client, name, acquired), "compare-recovery");
    next.setDaemon(true);
    next.start();
    return acquired;
  }

  private static void acquire(LockClient client, String name, CompletableFuture<Long> acquired) {
    try {
      Lease lease = client.acquire(LockRequest.of(name).withLease(LEASE).withWait(WAIT));
      acquired.complete(System.nanoTime());
      lease.release();
    } catch (InterruptedException | RuntimeException e) {
      acquired.completeExceptionally(e);
    }
  }
}
