package dev.interlock.spring;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;

/** Makes each request an observation, which shows in traces how long a lock was waited for. */
final class ObservingMeter implements LockMeter {
  private static final Wait NOTHING = (entered, failure) -> {};

  private final ObservationRegistry registry;

  ObservingMeter(ObservationRegistry registry) {
    this.registry = registry;
  }

  @Override
  public Wait start(String label, String name, boolean waits) {
    if (registry.isNoop()) {
      return NOTHING;
    }
    Observation observation = Observation.createNotStarted("interlock.acquire", registry)
        .contextualName("acquire " + label)
        .lowCardinalityKeyValue("lock", label)
        .highCardinalityKeyValue("lock.name", name)
        .start();
    return (entered, failure) -> {
      observation.lowCardinalityKeyValue(
          "outcome", entered ? "acquired" : failure == null ? "busy" : "error");
      if (failure != null) {
        observation.error(failure);
      }
      observation.stop();
    };
  }
}
