package dev.interlock.compare.facts;

import dev.interlock.compare.servers.Backend;
import dev.interlock.tck.Effort;

/** What cannot be brought about. */
public record FailingObservation(Happening happening, String why) implements Observation {
  @Override
  public Fact observe(Backend backend, Effort effort) {
    throw new IllegalStateException(why);
  }
}
