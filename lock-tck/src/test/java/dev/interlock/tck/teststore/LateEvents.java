package dev.interlock.tck.teststore;

import dev.interlock.tck.teststore.Wire.Event;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Tells some events late, for a fault. */
final class LateEvents {
  private static final int EVERY = 5;

  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(StoreServer::daemon);
  private final AtomicInteger told = new AtomicInteger();

  void tell(Consumer<Event> subscriber, Event event) {
    if (told.incrementAndGet() % EVERY == 0) {
      var unused = timer.schedule(() -> subscriber.accept(event), 1, TimeUnit.SECONDS);
    } else {
      subscriber.accept(event);
    }
  }
}
