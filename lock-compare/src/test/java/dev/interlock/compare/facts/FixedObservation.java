package dev.interlock.compare.facts;

import dev.interlock.compare.servers.Backend;
import dev.interlock.tck.Effort;
import java.util.Map;

/** Something that happens without a server. */
public final class FixedObservation implements Observation {
  public static final String WORDS = "The next waiter has the lock after 1,020 ms.";

  @Override
  public Happening happening() {
    return Happening.HOLDER_KILLED;
  }

  @Override
  public Fact observe(Backend backend, Effort effort) {
    return Fact.seen(happening(), WORDS, Map.of("millis", 1020.5));
  }
}
