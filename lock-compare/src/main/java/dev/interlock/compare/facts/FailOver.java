package dev.interlock.compare.facts;

import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.compare.figures.TurnProxy;
import dev.interlock.compare.peers.Clients;
import dev.interlock.compare.servers.Backend;
import dev.interlock.compare.servers.LockUris;
import dev.interlock.tck.Effort;
import dev.interlock.tck.TckServer;
import dev.interlock.testservers.DatabasePair;
import dev.interlock.testservers.DatabaseServer;
import dev.interlock.testservers.NoTestServerException;
import dev.interlock.testservers.RedisPair;
import dev.interlock.testservers.TestMysql;
import dev.interlock.testservers.TestPostgres;
import dev.interlock.testservers.TestRedis;
import java.util.Map;
import java.util.TreeMap;

/** Lets another server take the place of the one that has the lock. */
final class FailOver implements Observation {
  /** Of the lock that is asked for while no standby answers. */
  private static final String CONFIRMED = "fact-fail-over-confirmed";

  static final String MARIADB_ONLY =
      "replicas are started of MariaDB only; the page for operators says what each kind of"
          + " replication may lose";

  @Override
  public Happening happening() {
    return Happening.FAIL_OVER;
  }

  @Override
  public Fact observe(Backend backend, Effort effort) throws Exception {
    try {
      return failOver(backend);
    } catch (NoTestServerException e) {
      return Fact.none(happening(), "there is no server for a standby (" + e.reasons() + ")");
    }
  }

  private Fact failOver(Backend backend) throws Exception {
    if (backend.isInOneJvm()) {
      return Fact.none(happening(), "there is no server");
    }
    Map<String, Double> figures = new TreeMap<>();
    if (backend.members().isPresent()) {
      TckServer member = backend.members().get().all().get(0).server();
      try {
        String words = new TakeOver(backend.uri(), backend.uri(), "", figures).watch(hold -> {
          // Each member grants with a token of its own. A renewal has all of them record that of
          // the lock, by which those that are left know it.
          hold.extend(TakeOver.LEASE);
          member.kill();
        });
        return Fact.seen(happening(), "One of three members is killed: " + words, figures);
      } finally {
        member.start();
      }
    }
    if (backend.admin().redis().isPresent()) {
      return Fact.seen(
          happening(),
          "The replica has the hold: " + redis(backend, true, figures)
              + " It had lost its link before the grant: " + redis(backend, false, figures),
          figures);
    }
    if (backend.admin().database().isEmpty()) {
      return Fact.none(happening(), "the server is not ours");
    }
    if (backend.admin().database().get().version().startsWith("MySQL")) {
      return Fact.none(happening(), MARIADB_ONLY);
    }
    return Fact.seen(
        happening(),
        "The standby has the hold: " + database(backend, true, figures)
            + " It had lost its link before the grant: " + database(backend, false, figures),
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
          + new TakeOver(uri, replica, kind(replicated), figures).watch(hold -> {
            if (replicated) {
              pair.awaitReplicated();
            }
            pair.master().kill();
            pair.promote();
            address.lead(pair.replica().host(), pair.replica().port());
          });
    }
  }

  /** What becomes of a grant that no replica has, where replicas are asked for. */
  private static String waitingForReplicas(String uri, RedisPair pair, Map<String, Double> figures)
      throws InterruptedException {
    try (LockClient client = Clients.open(LockUris.withOption(uri, "replicas", "1"))) {
      // The first one takes longer.
      client.acquire(confirmed().withWait(TakeOver.LEASE)).release();
      pair.promote();
      return "with replicas=1 the grant " + grant(uri, client, figures);
    }
  }

  private static String database(Backend backend, boolean replicated, Map<String, Double> figures)
      throws Exception {
    try (DatabasePair pair = pair(backend);
        TurnProxy address =
            TurnProxy.before(pair.primary().host(), pair.primary().port())) {
      String uri = at(backend, pair.primary(), address.address());
      String standby = at(backend, pair.standby(), address(pair.standby()));
      // The first client makes the tables.
      Clients.open(uri).close();
      String before = replicated ? "" : cutOff(uri, pair, figures);
      return before
          + new TakeOver(uri, standby, kind(replicated), figures).watch(hold -> {
            if (replicated) {
              pair.awaitReplicated();
            }
            pair.primary().kill();
            pair.promote();
            address.lead(pair.standby().host(), pair.standby().port());
          });
    }
  }

  private static DatabasePair pair(Backend backend) {
    return backend.admin().database().orElseThrow().uri().startsWith("postgres")
        ? TestPostgres.pair()
        : TestMysql.pair();
  }

  /** Cuts the link, and says what becomes of a grant then that a standby is to have. */
  private static String cutOff(String uri, DatabasePair pair, Map<String, Double> figures)
      throws InterruptedException {
    if (!Clients.isOurs(uri)) {
      pair.awaitReplicated();
      pair.cutOff();
      return "";
    }
    try (LockClient client = Clients.open(uri)) {
      String setting = pair.synchronous(true);
      client.acquire(confirmed().withWait(TakeOver.LEASE)).release();
      pair.awaitReplicated();
      pair.cutOff();
      String words = "with " + setting + " the grant " + grant(uri, client, figures);
      pair.synchronous(false);
      return words;
    }
  }

  private static String grant(String uri, LockClient client, Map<String, Double> figures) {
    long start = System.nanoTime();
    String end;
    boolean granted = false;
    try {
      granted = client.tryAcquire(confirmed()).isPresent();
      end = granted ? "is given all the same" : "is refused";
    } catch (LockException e) {
      end = "ends with " + Offered.name(uri, e);
    }
    double millis = Text.millis(System.nanoTime() - start);
    figures.put("grantedWithoutReplica", granted ? 1.0 : 0.0);
    figures.put("millisUntilRefused", millis);
    return end + ", after " + Text.ms(millis) + "; without, ";
  }

  private static LockRequest confirmed() {
    return LockRequest.of(CONFIRMED).withLease(TakeOver.LEASE);
  }

  private static String kind(boolean replicated) {
    return replicated ? "Replicated" : "Behind";
  }

  private static String at(Backend backend, DatabaseServer server, String address) {
    return LockUris.withAccount(
        LockUris.redirect(backend.uri(), address), server.user(), server.password());
  }

  private static String address(DatabaseServer server) {
    return server.host() + ":" + server.port();
  }
}
