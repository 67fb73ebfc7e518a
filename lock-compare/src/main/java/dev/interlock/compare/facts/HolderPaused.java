package dev.interlock.compare.facts;

import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.compare.cli.ChildJvm;
import dev.interlock.compare.figures.Waiting;
import dev.interlock.compare.peers.Clients;
import dev.interlock.compare.servers.Backend;
import dev.interlock.tck.Effort;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Pauses the JVM of the holder beyond its lease, and asks it what it was told when it woke. */
final class HolderPaused implements Observation {
  private static final String NAME = "fact-holder-paused";
  private static final Duration LEASE = Duration.ofSeconds(1);
  private static final Duration PAUSE = Duration.ofMillis(2500);
  private static final Duration WAIT = Duration.ofSeconds(15);

  @Override
  public Happening happening() {
    return Happening.HOLDER_PAUSED;
  }

  @Override
  public Fact observe(Backend backend, Effort effort) throws Exception {
    if (backend.isInOneJvm()) {
      return Fact.none(happening(), "holder, waiters and lock pause together");
    }
    Waiting waiting = new Waiting();
    try (LockClient client = waiting.open(backend.uri());
        ChildJvm holder = ChildJvm.start(PausedHolderMain.class)) {
      holder.tell(backend.uri());
      holder.tell(NAME);
      holder.tell(LEASE.toString());
      holder.expect(PausedHolderMain.HELD);
      CompletableFuture<Long> at = new CompletableFuture<>();
      CompletableFuture<Lease> next = client
          .acquireAsync(Offered.usual(client, LockRequest.of(NAME).withWait(WAIT)))
          .whenComplete((lease, error) -> at.complete(System.nanoTime()));
      waiting.await();
      long paused = System.nanoTime();
      holder.pause();
      TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
      holder.resume();
      List<String> told = List.of(holder.read().split(PausedHolderMain.SEPARATOR, -1));
      if (told.size() != 4) {
        throw new IOException("the paused JVM says: " + String.join(" ", told));
      }
      Lease successor = next.get(WAIT.toSeconds(), TimeUnit.SECONDS);
      boolean spared = hasIt(client, successor, backend.uri());
      successor.close();
      return fact(told, (double) (at.join() - paused) / LEASE.toNanos(), spared);
    }
  }

  private static boolean hasIt(LockClient client, Lease lease, String uri) {
    Optional<Boolean> told = Offered.ask(() -> client
        .inspect(NAME)
        .map(HoldInfo::fencingToken)
        .filter(token -> token == lease.fencingToken())
        .isPresent());
    if (told.isPresent()) {
      return told.get();
    }
    try (LockClient third = Clients.open(uri)) {
      return !Offered.isFree(third, NAME);
    }
  }

  private Fact fact(List<String> told, double leases, boolean spared) {
    Map<String, Double> figures = new TreeMap<>();
    figures.put("successorAfterLeases", leases);
    figures.put("successorSpared", spared ? 1.0 : 0.0);
    String words = String.format(
        Locale.ROOT,
        "When it wakes, %s; its release %s. The next waiter had the lock %.2f leases into the"
            + " pause, and %s.",
        toldOnWaking(told, figures),
        told.get(3).equals(PausedHolderMain.NONE) ? "returns" : "throws " + told.get(3),
        leases,
        spared ? "still has it then" : "has it no more");
    return Fact.seen(happening(), words, figures);
  }

  private static String toldOnWaking(List<String> told, Map<String, Double> figures) {
    String reason = told.get(1);
    if (reason.equals(PausedHolderMain.NOT_OFFERED)) {
      return "nothing tells it, for the library has no notice of a loss";
    }
    boolean valid = Boolean.parseBoolean(told.get(0));
    boolean lost = !reason.equals(PausedHolderMain.NONE);
    double millis = Text.millis(Long.parseLong(told.get(2)));
    figures.put("validOnWaking", valid ? 1.0 : 0.0);
    figures.put("millisUntilTold", lost ? millis : -1.0);
    return "isValid is " + valid + "; "
        + (lost
            ? "lost() says " + reason + " " + Text.ms(millis) + " later"
            : "lost() says nothing");
  }
}
