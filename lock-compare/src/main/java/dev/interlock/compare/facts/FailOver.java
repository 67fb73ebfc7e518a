package dev.interlock.compare.facts;

import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.compare.figures.TurnProxy;
import dev.interlock.compare.figures.Waiting;
import dev.interlock.compare.peers.Clients;
import dev.interlock.compare.servers.Backend;
import dev.interlock.compare.servers.LockUris;
import dev.interlock.tck.Effort;
import dev.interlock.tck.TckServer;
import dev.interlock.testservers.RedisPair;
import dev.interlock.testservers.TestRedis;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Lets another server take the place of the one that has the lock. */
final class FailOver implements Observation {
  private static final String NAME = "fact-fail-over";
  private static final Duration LEASE = Duration.ofSeconds(3);
  private static final int LIMIT_SECONDS = 15;

  /** A renewal, and the way to the other server. */
  private static final Duration WATCHED = Duration.ofMillis(1500);

  private static final int POLL_MILLIS = 5;

  /** If the lock is gone. */
  private static final int UNTIL_A_WAITER_HAS_IT_MILLIS = 500;

  /** In place of a fencing token. */
  private static final long NO_TOKEN = -1;

  @Override
  public Happening happening() {
    return Happening.FAIL_OVER;
  }

  @Override
  public Fact observe(Backend backend, Effort effort) throws Exception {
    if (backend.isInOneJvm()) {
      return Fact.none(happening(), "there is no server");
    }
    Map<String, Double> figures = new TreeMap<>();
    if (backend.members().isPresent()) {
      TckServer member = backend.members().get().all().get(0).server();
      try {
        String words = lost(backend.uri(), backend.uri(), "", member::kill, figures);
        return Fact.seen(happening(), "One of three members is killed: " + words, figures);
      } finally {
        member.start();
      }
    }
    if (backend.admin().redis().isEmpty()) {
      return Fact.none(
          happening(),
          backend.admin().database().isPresent()
              ? "no standby of a database is started here; its page for operators says what each"
                  + " kind of replication may lose"
              : "the server is not ours");
    }
    return Fact.seen(
        happening(),
        "The replica has the hold: " + redis(backend, true, figures)
            + " It had lost its link before the grant: " + redis(backend, false, figures),
        figures);
  }

  private static String redis(Backend backend, boolean replicated, Map<String, Double> figures)
      throws Exception {
    try (RedisPair pair = TestRedis.pair();
        TurnProxy address = TurnProxy.before(pair.master().host(), pair.master().port())) {
      String uri = LockUris.redirect(backend.uri(), address.address());
      String replica = LockUris.redirect(
          backend.uri(), pair.replica().host() + ":" + pair.replica().port());
      String before = "";
      if (!replicated && Clients.isOurs(backend.uri())) {
        before = waitingForReplicas(uri, pair, figures);
      }
      if (!replicated) {
        pair.promote();
      }
      return before
          + lost(
              uri,
              replica,
              replicated ? "Replicated" : "Behind",
              () -> {
                if (replicated) {
                  pair.awaitReplicated();
                }
                pair.master().kill();
                pair.promote();
                address.lead(pair.replica().host(), pair.replica().port());
              },
              figures);
    }
  }

  /** What is done to the servers. */
  private interface Injury {
    void run() throws Exception;
  }

  /**
   * Injures the servers under a holder and a waiter.
   *
   * @param successor where the lock is found afterwards
   * @param kind goes on after the names of the figures
   */
  private static String lost(
      String uri, String successor, String kind, Injury injury, Map<String, Double> figures)
      throws Exception {
    Waiting waiting = new Waiting();
    try (LockClient holder = Clients.open(uri);
        LockClient other = waiting.open(uri)) {
      LockRequest plain = LockRequest.of(NAME).withWait(Duration.ofSeconds(LIMIT_SECONDS));
      Lease lease = holder.acquire(Offered.renewing(holder, plain.withLease(LEASE)));
      long token = Offered.ask(lease::fencingToken).orElse(NO_TOKEN);
      Optional<Loss> loss = Loss.of(lease);
      CompletableFuture<Long> at = new CompletableFuture<>();
      CompletableFuture<Lease> next = other
          .acquireAsync(Offered.usual(other, plain))
          .whenComplete((held, error) -> {
            // One whose wait fails has no lock.
            if (error == null) {
              at.complete(System.nanoTime());
            }
          });
      waiting.await();
      long start = System.nanoTime();
      injury.run();
      boolean there = isThere(successor, token, at);
      figures.put("lockIsThere" + kind, there ? 1.0 : 0.0);
      while (System.nanoTime() - start < WATCHED.toNanos()
          && !(at.isDone() && loss.map(Loss::isTold).orElse(true))) {
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      }
      Map<String, Double> seen = new TreeMap<>();
      boolean early = at.isDone();
      String told = Loss.told(loss, start, early ? at.join() : Long.MAX_VALUE, 0, seen);
      seen.forEach((name, value) -> figures.put(name + kind, value));
      double released = Text.millis(System.nanoTime() - start);
      String end = release(uri, lease);
      String words = (there ? "the hold is there; " : "the hold is not there; ") + told
          + "; its release " + end + ". ";
      try {
        Lease successors = next.get(LIMIT_SECONDS + 5, TimeUnit.SECONDS);
        double millis = Text.millis(at.join() - start);
        figures.put("nextHasItMillis" + kind, millis);
        words += "The next one has the lock after " + Text.ms(millis)
            + (early ? "" : ", " + Text.ms(millis - released) + " after the call of the release")
            + ". " + tokens(token, successors, kind, figures);
        successors.release();
        return words;
      } catch (ExecutionException e) {
        figures.put("nextHasItMillis" + kind, -1.0);
        return words + "The next one ends with "
            + (e.getCause() instanceof RuntimeException thrown
                ? Offered.name(uri, thrown)
                : "an error")
            + ".";
      }
    }
  }

  /**
   * Whether the hold is known there; where that cannot be asked, a waiter has to find out first.
   */
  private static boolean isThere(String uri, long token, CompletableFuture<Long> next)
      throws InterruptedException {
    try (LockClient third = Clients.open(uri)) {
      Optional<Boolean> told = Offered.ask(() -> third
          .inspect(NAME)
          .map(HoldInfo::fencingToken)
          .filter(found -> found == token)
          .isPresent());
      if (told.isPresent()) {
        return told.get();
      }
      TimeUnit.MILLISECONDS.sleep(UNTIL_A_WAITER_HAS_IT_MILLIS);
      return !Offered.isFree(third, NAME) && !next.isDone();
    }
  }

  private static String release(String uri, Lease lease) {
    try {
      lease.release();
      return "returns";
    } catch (RuntimeException e) {
      return "throws " + Offered.name(uri, e);
    }
  }

  private static String tokens(long before, Lease next, String kind, Map<String, Double> figures) {
    if (before == NO_TOKEN) {
      return "There are no fencing tokens.";
    }
    boolean grow = next.fencingToken() > before;
    figures.put("tokensGrow" + kind, grow ? 1.0 : 0.0);
    return "Fencing tokens " + (grow ? "go on growing." : "do not go on growing.");
  }

  /** What becomes of a grant that no replica has, where replicas are asked for. */
  private static String waitingForReplicas(String uri, RedisPair pair, Map<String, Double> figures)
      throws InterruptedException {
    try (LockClient client = Clients.open(LockUris.withOption(uri, "replicas", "1"))) {
      LockRequest request = LockRequest.of(NAME).withLease(LEASE);
      // The first one takes longer.
      client.acquire(request.withWait(LEASE)).release();
      pair.promote();
      long start = System.nanoTime();
      String end;
      boolean granted = false;
      try {
        granted = client.tryAcquire(request).isPresent();
        end = granted ? "is given all the same" : "is refused";
      } catch (LockException e) {
        end = "ends with " + Offered.name(uri, e);
      }
      double millis = Text.millis(System.nanoTime() - start);
      figures.put("grantedWithoutReplica", granted ? 1.0 : 0.0);
      figures.put("millisUntilRefused", millis);
      return "with replicas=1 the grant " + end + ", after " + Text.ms(millis) + "; without, ";
    }
  }
}
