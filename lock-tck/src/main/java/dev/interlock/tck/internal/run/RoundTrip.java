package dev.interlock.tck.internal.run;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.NotOfferedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** How long a request and its answer take while nothing else is done. */
final class RoundTrip {
  /** The first ones open connections, prepare statements and are not yet compiled. */
  private static final int WARM_UPS = 3;

  private static final int LOOKS = 9;

  private RoundTrip() {}

  /** Returns the median of a few. A lock whose API cannot inspect is taken and released. */
  static Duration of(LockClient client, String name) {
    List<Long> times = new ArrayList<>();
    for (int i = 0; i < WARM_UPS + LOOKS; i++) {
      long start = System.nanoTime();
      int requests = ask(client, name);
      if (i >= WARM_UPS) {
        times.add((System.nanoTime() - start) / requests);
      }
    }
    Collections.sort(times);
    return Duration.ofNanos(times.get(LOOKS / 2));
  }

  private static int ask(LockClient client, String name) {
    try {
      var unused = client.inspect(name);
      return 1;
    } catch (NotOfferedException e) {
      client
          .tryAcquire(LockRequest.of(name).withLease(Duration.ofSeconds(10)))
          .ifPresent(Lease::close);
      return 2;
    }
  }
}
