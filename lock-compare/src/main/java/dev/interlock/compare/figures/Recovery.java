package dev.interlock.compare.figures;

import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.compare.cli.ChildJvm;
import dev.interlock.compare.peers.Clients;
import dev.interlock.compare.servers.Backend;
import dev.interlock.tck.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Measures how soon a lock is free after its holder got kill -9. */
final class Recovery implements Measurement {
  private static final Duration LEASE = Duration.ofSeconds(1);
  private static final Duration WAIT = Duration.ofSeconds(30);
  private static final String NAME = "compare-recovery";

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
    double worst = Double.NEGATIVE_INFINITY;
    List<Figures.Point> points = new ArrayList<>();
    Waiting waiting = new Waiting();
    try (LockClient client = waiting.open(backend.uri())) {
      for (int i = 0; i < rounds; i++) {
        double millis = round(backend.uri(), client, waiting) / 1e6;
        points.add(new Figures.Point("round " + (i + 1), millis));
        worst = Math.max(worst, millis);
      }
    }
    into.put(Measure.RECOVERY, worst, "worst of " + rounds);
    into.put(Curve.RECOVERY, points);
  }

  /** Returns nanoseconds from the end of the dead holder's lease to the next hold. */
  private static long round(String uri, LockClient client, Waiting waiting) throws Exception {
    try (ChildJvm holder = ChildJvm.start(HolderMain.class)) {
      holder.tell(uri);
      holder.tell(NAME);
      holder.tell(LEASE.toString());
      holder.expect(HolderMain.HELD);
      CompletableFuture<Long> acquired = new CompletableFuture<>();
      Thread next = new Thread(() -> acquire(client, acquired), "compare-recovery");
      next.setDaemon(true);
      next.start();
      waiting.await();
      holder.kill();
      // Asked after the death: before it the holder might renew once more.
      Optional<HoldInfo> hold = client.inspect(NAME);
      long expiry =
          System.nanoTime() + hold.map(info -> info.remaining().toNanos()).orElse(0L);
      return acquired.get(WAIT.toSeconds() + 5, TimeUnit.SECONDS) - expiry;
    }
  }

  private static void acquire(LockClient client, CompletableFuture<Long> acquired) {
    try {
      Lease lease = client.acquire(LockRequest.of(NAME).withLease(LEASE).withWait(WAIT));
      acquired.complete(System.nanoTime());
      lease.release();
    } catch (InterruptedException | RuntimeException e) {
      acquired.completeExceptionally(e);
    }
  }
}
