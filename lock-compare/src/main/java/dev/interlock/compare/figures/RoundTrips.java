package dev.interlock.compare.figures;

import dev.interlock.LockRequest;
import dev.interlock.compare.servers.Backend;
import dev.interlock.compare.servers.LockUris;
import dev.interlock.measure.SectionClient;
import dev.interlock.measure.SectionLock;
import dev.interlock.tck.Effort;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Counts the round trips of an acquire and of a release that nobody contends for. */
final class RoundTrips implements Measurement {
  private static final int WARM_UP = 20;
  private static final String NAME = "compare-round-trips";

  /** A fixed lease: a renewal in between would be counted as well. */
  private static LockRequest asking(LockRequest request) {
    return request.withLease(Duration.ofMinutes(5)).withWait(Duration.ofSeconds(10));
  }

  @Override
  public String title() {
    return "round trips";
  }

  @Override
  public List<Measure> measures() {
    return List.of(Measure.ROUND_TRIPS_ACQUIRE, Measure.ROUND_TRIPS_RELEASE);
  }

  @Override
  public void take(Backend backend, Effort effort, Figures into) throws Exception {
    Optional<String> host = LockUris.host(backend.uri());
    OptionalInt port = LockUris.port(backend.uri());
    if (backend.isInOneJvm()) {
      into.none("there is no server", measures().toArray(Measure[]::new));
    } else if (host.isEmpty() || port.isEmpty() || LockUris.hasOption(backend.uri(), "tls")) {
      into.none(
          "counted only on one plain connection to one host with a port",
          measures().toArray(Measure[]::new));
    } else {
      try (TurnProxy proxy = TurnProxy.before(host.get(), port.getAsInt());
          SectionClient client = new Waiting()
              .sections(LockUris.redirect(backend.uri(), proxy.address()), RoundTrips::asking)) {
        count(client.lock(NAME), proxy, effort.of(200, 500, 2000), into);
      }
    }
  }

  private static void count(SectionLock lock, TurnProxy proxy, int rounds, Figures into)
      throws InterruptedException {
    for (int i = 0; i < WARM_UP; i++) {
      lock.lock();
      lock.unlock();
    }
    long acquiring = 0;
    long releasing = 0;
    for (int i = 0; i < rounds; i++) {
      long start = proxy.turns();
      lock.lock();
      long held = proxy.turns();
      lock.unlock();
      acquiring += held - start;
      releasing += proxy.turns() - held;
    }
    into.put(Measure.ROUND_TRIPS_ACQUIRE, (double) acquiring / rounds);
    into.put(Measure.ROUND_TRIPS_RELEASE, (double) releasing / rounds);
  }
}
