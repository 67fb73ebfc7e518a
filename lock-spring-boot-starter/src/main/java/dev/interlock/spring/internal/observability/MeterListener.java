package dev.interlock.spring.internal.observability;

import dev.interlock.LockException;
import dev.interlock.LostReason;
import dev.interlock.spring.internal.client.ClientListener;
import dev.interlock.spring.internal.client.ClientNames;
import dev.interlock.spring.internal.lease.LockMeter;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts and times what a client does. */
public final class MeterListener implements ClientListener, LockMeter {
  private static final String ALL = "all";

  /** The meters of one lock, or of all. */
  private record Meters(
      Counter attempts, Counter busy, Timer waits, Timer hold, Counter renewFailures) {}

  private final MeterRegistry registry;
  private final boolean lockNames;
  private final ConcurrentHashMap<String, Meters> meters = new ConcurrentHashMap<>();
  private final String client;
  private final AtomicInteger queue;

  /** That of each client. Shared by all of them. */
  private final ConcurrentHashMap<String, MeterListener> clients;

  public MeterListener(MeterRegistry registry, boolean lockNames) {
    this.registry = registry;
    this.lockNames = lockNames;
    this.client = ClientNames.DEFAULT;
    this.queue = new AtomicInteger();
    this.clients = new ConcurrentHashMap<>();
    clients.put(client, this);
    Gauge.builder("interlock.queue", queue, AtomicInteger::get)
        .description("Requests of @Locked methods and lock templates that are being made")
        .register(registry);
    meters(ALL);
  }

  private MeterListener(MeterListener first, String client) {
    this.registry = first.registry;
    this.lockNames = first.lockNames;
    this.client = client;
    this.queue = first.queue;
    this.clients = first.clients;
    meters(ALL);
  }

  @Override
  public MeterListener forClient(String named) {
    return clients.computeIfAbsent(named, unknown -> new MeterListener(this, unknown));
  }

  private Meters meters(String name) {
    return meters.computeIfAbsent(lockNames ? name : ALL, this::register);
  }

  private Meters register(String name) {
    Tags tags = tags(name);
    return new Meters(
        Counter.builder("interlock.attempts")
            .description("Attempts that were sent to the backend")
            .tags(tags)
            .register(registry),
        Counter.builder("interlock.busy")
            .description("Requests that found their lock held by another")
            .tags(tags)
            .register(registry),
        Timer.builder("interlock.wait")
            .description("From the request to the grant")
            .tags(tags)
            .register(registry),
        Timer.builder("interlock.hold")
            .description("From the grant to the release")
            .tags(tags)
            .register(registry),
        Counter.builder("interlock.renew.failures")
            .description("Renewals that the backend did not answer; each is tried again")
            .tags(tags)
            .register(registry));
  }

  private Tags tags(String name) {
    Tags tags = Tags.of("client", client);
    return lockNames ? tags.and("lock", name) : tags;
  }

  @Override
  public void attempt(String name) {
    meters(name).attempts().increment();
  }

  @Override
  public void waiting(String name) {
    meters(name).busy().increment();
  }

  @Override
  public void acquired(String name, long fencingToken, Duration waited) {
    meters(name).waits().record(waited);
  }

  @Override
  public void released(String name, long fencingToken, Duration held) {
    meters(name).hold().record(held);
  }

  @Override
  public void lost(String name, long fencingToken, LostReason reason) {
    Counter.builder("interlock.lost")
        .description("Holds that ended without a release")
        .tags(tags(name).and("reason", reason.name().toLowerCase(Locale.ROOT)))
        .register(registry)
        .increment();
  }

  @Override
  public void backendError(String operation, String name, LockException error) {
    if (operation.equals("renew")) {
      meters(name).renewFailures().increment();
    }
  }

  @Override
  public Wait start(String label, String name, boolean waits) {
    queue.incrementAndGet();
    return (entered, failure) -> {
      queue.decrementAndGet();
      if (!entered && failure == null && !waits) {
        meters(name).busy().increment(); // one attempt tells nobody that it waits
      }
    };
  }
}
