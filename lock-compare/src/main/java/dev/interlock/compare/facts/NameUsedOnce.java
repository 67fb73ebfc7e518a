package dev.interlock.compare.facts;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.compare.peers.Clients;
import dev.interlock.compare.servers.Backend;
import dev.interlock.measure.server.ServerProbe;
import dev.interlock.measure.server.ServerProbe.Footprint;
import dev.interlock.tck.Effort;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Uses a name once, and looks what stays on the server. */
final class NameUsedOnce implements Observation {
  private static final Duration LEASE = Duration.ofMillis(500);
  private static final Duration GRACE = Duration.ofMillis(500);

  @Override
  public Happening happening() {
    return Happening.NAME_USED_ONCE;
  }

  @Override
  public Fact observe(Backend backend, Effort effort) throws Exception {
    Optional<ServerProbe> probe = backend.probe();
    if (probe.isEmpty()) {
      return Fact.none(
          happening(),
          backend.isInOneJvm()
              ? "there is no server"
              : "the server cannot be asked past the provider");
    }
    Map<String, Double> figures = new TreeMap<>();
    try (LockClient client = Clients.open(backend.uri())) {
      client.acquire(request("other")).release();
      Footprint before = look(backend, probe.get());
      client.acquire(request("released")).release();
      String released = left("Released", before, look(backend, probe.get()), figures);
      TimeUnit.NANOSECONDS.sleep(LEASE.plus(GRACE).toNanos());
      Footprint passed = look(backend, probe.get());
      String later = left("LeasePassed", before, passed, figures);
      Lease kept = client.acquire(request("expired"));
      TimeUnit.NANOSECONDS.sleep(LEASE.plus(GRACE).toNanos());
      Footprint ended = look(backend, probe.get());
      String expired = left("Expired", passed, ended, figures);
      if (!Clients.isOurs(backend.uri())) {
        // A hold that the library still counts may stand in the way of other names.
        try {
          kept.release();
        } catch (LockException e) {
          // It has lapsed, as it should.
        }
      }
      int names = effort.of(300, 1000, 1000);
      for (int i = 0; i < names; i++) {
        client.acquire(request("many-" + i)).release();
      }
      String many = left("ManyNames", ended, look(backend, probe.get()), figures);
      figures.put("manyNames", (double) names);
      return Fact.seen(
          happening(),
          "Right after the release " + released + " on the server; when the lease has passed, "
              + later + ". Of one that was never released, " + expired + ". Of "
              + Text.number(names) + " more names, " + many + ".",
          figures);
    }
  }

  private static LockRequest request(String name) {
    return LockRequest.of("fact-once-" + name).withLease(LEASE).withWait(Duration.ofSeconds(5));
  }

  private static Footprint look(Backend backend, ServerProbe probe) {
    return probe.footprint(backend.names());
  }

  private static String left(
      String when, Footprint before, Footprint after, Map<String, Double> figures) {
    // What was there before may end meanwhile.
    long entries = Math.max(0, after.entries() - before.entries());
    long bytes = Math.max(0, after.bytes() - before.bytes());
    figures.put("entries" + when, (double) entries);
    figures.put("bytes" + when, (double) bytes);
    if (entries == 0 && bytes == 0) {
      return "nothing stays";
    }
    return Text.entries(entries) + " with " + Text.number(bytes) + " bytes "
        + (entries == 1 ? "stays" : "stay");
  }
}
