package dev.interlock.internal;

import dev.interlock.LockException;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalResult;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** Renews holds and queue entries in batches, on the one renewal thread. */
final class Renewals {
  private static final Logger LOG = System.getLogger("dev.interlock");
  private static final int BATCH = 256;

  /**
   * Before a batch is taken, for the timer submits what is due at once one by one, and a thread
   * that is as quick as that would send it one by one.
   */
  private static final long GATHERING = 1_000_000;

  /** What can be renewed. */
  interface Item {
    String name();

    HoldId id();

    /** How long it must last from then on, in nanoseconds. */
    long needs();

    boolean isQueued();

    void renewed(RenewalResult result, long sentAt, long askedFor);

    /** The batch could not be sent, or no answer came. */
    void renewalFailed(LockException error);
  }

  private final BackendCalls calls;
  private final ClientThreads threads;
  private final Queue<Item> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();

  Renewals(BackendCalls calls, ClientThreads threads) {
    this.calls = calls;
    this.threads = threads;
  }

  void submit(Item item) {
    waiting.add(item);
    if (scheduled.compareAndSet(false, true)) {
      threads.renew(this::drain);
    }
  }

  private void drain() {
    LockSupport.parkNanos(this, GATHERING);
    // Cleared first: an item added from here on schedules a drain of its own.
    scheduled.set(false);
    List<Item> batch = take();
    while (!batch.isEmpty()) {
      send(batch);
      batch = take();
    }
  }

  private List<Item> take() {
    // A set: an item may have been submitted twice, and a batch names each hold once.
    Set<Item> batch = new LinkedHashSet<>();
    Item item = waiting.poll();
    while (item != null) {
      batch.add(item);
      item = batch.size() < BATCH ? waiting.poll() : null;
    }
    return List.copyOf(batch);
  }

  private void send(List<Item> batch) {
    Map<HoldId, Item> items = new HashMap<>();
    List<Renewal> renewals = new ArrayList<>(batch.size());
    for (Item item : batch) {
      items.put(item.id(), item);
      renewals.add(
          new Renewal(item.name(), item.id(), Duration.ofNanos(item.needs()), item.isQueued()));
    }
    long sentAt = System.nanoTime();
    calls.renew(renewals, (renewal, result) -> {
      Item item = Objects.requireNonNull(items.get(renewal.id()));
      if (result instanceof RenewalResult.Failed failed) {
        tell(() -> item.renewalFailed(failed.error()));
      } else {
        tell(() -> item.renewed(result, sentAt, renewal.lease().toNanos()));
      }
    });
  }

  /** A fault with one item must not cost the others their answer. */
  private static void tell(Runnable answer) {
    try {
      answer.run();
    } catch (RuntimeException e) {
      LOG.log(Level.ERROR, "A renewal's answer could not be taken; the others go on", e);
    }
  }
}
