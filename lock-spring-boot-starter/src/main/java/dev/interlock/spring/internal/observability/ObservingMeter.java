package dev.interlock.spring.internal.observability;

import dev.interlock.spring.internal.client.ClientNames;
import dev.interlock.spring.internal.lease.LockMeter;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;

/** Makes each request an observation, which shows in traces how long a lock was waited for. */
public final class ObservingMeter implements LockMeter {
  private static final Wait NOTHING = (entered, failure) -> {};

  private final ObservationRegistry registry;
  private final String client;

  public ObservingMeter(ObservationRegistry registry) {
    this(registry, ClientNames.DEFAULT);
  }

  private ObservingMeter(ObservationRegistry registry, String client) {
    this.registry = registry;
    this.client = client;
  }

  @Override
  public LockMeter forClient(String named) {
    return new ObservingMeter(registry, named);
  }

  @Override
  public Wait start(String label, String name, boolean waits) {
    if (registry.isNoop()) {
      return NOTHING;
    }
    Observation observation = Observation.createNotStarted("interlock.acquire", registry)
        .contextualName("acquire " + label)
        .lowCardinalityKeyValue("client", client)
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
