package dev.interlock.internal.running;

import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Renews holds and queue entries in batches, holds first. A batch that waits for a silent server
 * holds up no other one: the next is sent beside it, up to a number of them, and each item is
 * answered as soon as the backend knows. What had no answer the last time goes in batches apart, so
 * that the others do not meet the silent server again and again. No item is in two batches at once.
 */
public final class Renewals {
  private static final int BATCH = 256;

  /**
   * Before a batch is taken, for the timer submits what is due at once one by one, and a thread
   * that is as quick as that would send it one by one.
   */
  private static final long GATHERING = 1_000_000;

  /**
   * The same while other batches are under way. One that is answered soon takes the next itself; if
   * a server falls silent, its items are all under way before they have used up the senders.
   */
  private static final long GATHERING_BESIDE = 10_000_000;

  /** Batches under way at once. */
  private static final int BATCHES = 10;

  private static final int BATCHES_OF_FAILED = 2;

  /** What can be renewed. */
  public interface Item {
    String name();

    HoldId id();

    /** How long it must last from then on, in nanoseconds. */
    long needs();

    boolean isQueued();

    /** Its last renewal had no answer. */
    boolean hasFailed();

    void renewed(RenewalResult result, long sentAt, long askedFor);

    /** The batch could not be sent, or no answer came. */
    void renewalFailed(LockException error);
  }

  /** What waits to be sent, and by how many senders. Guarded by the renewals. */
  private static final class Lane {
    final int mostSenders;
    final Set<Item> holds = new LinkedHashSet<>();
    final Set<Item> entries = new LinkedHashSet<>();
    int senders;
    boolean gathering;

    Lane(int mostSenders) {
      this.mostSenders = mostSenders;
    }
  }

  private final BackendCalls calls;
  private final ClientThreads threads;
  private final Lane heard = new Lane(BATCHES);
  private final Lane failed = new Lane(BATCHES_OF_FAILED);
  // Guarded by this.
  private final Set<Item> underWay = new HashSet<>();
  private final Set<Item> onceMore = new HashSet<>();

  public Renewals(BackendCalls calls, ClientThreads threads) {
    this.calls = calls;
    this.threads = threads;
  }

  /** Renews it soon, or again if it is under way: what made us ask may be newer than the answer. */
  public void submit(Item item) {
    Lane lane = item.hasFailed() ? failed : heard;
    boolean alone;
    synchronized (this) {
      if (underWay.contains(item)) {
        onceMore.add(item);
        return;
      }
      (item.isQueued() ? lane.entries : lane.holds).add(item);
      // A sender that is under way takes more before it ends.
      if (lane.gathering || lane.senders == lane.mostSenders) {
        return;
      }
      lane.gathering = true;
      lane.senders++;
      alone = lane.senders == 1;
    }
    start(lane, alone);
  }

  private void start(Lane lane, boolean alone) {
    boolean started = false;
    try {
      started = threads.renew(() -> drain(lane, alone));
    } finally {
      if (!started) {
        synchronized (this) {
          lane.gathering = false;
          lane.senders--;
        }
      }
    }
  }

  private void drain(Lane lane, boolean alone) {
    LockSupport.parkNanos(this, alone ? GATHERING : GATHERING_BESIDE);
    synchronized (this) {
      lane.gathering = false; // what comes from here on has a sender of its own, unless taken along
    }
    boolean ended = false;
    try {
      Collection<Item> batch = take(lane);
      while (!batch.isEmpty()) {
        send(batch);
        batch = take(lane);
      }
      ended = true;
    } finally {
      if (!ended) { // an Error: the next that is submitted starts another sender
        synchronized (this) {
          lane.senders--;
        }
      }
    }
  }

  /** The next batch; an empty one ends the sender. */
  private synchronized Collection<Item> take(Lane lane) {
    Map<HoldId, Item> batch = new LinkedHashMap<>();
    move(lane.holds, batch);
    move(lane.entries, batch);
    underWay.addAll(batch.values());
    if (batch.isEmpty()) {
      lane.senders--;
    }
    return batch.values();
  }

  private void move(Set<Item> from, Map<HoldId, Item> batch) {
    Iterator<Item> items = from.iterator();
    while (items.hasNext() && batch.size() < BATCH) {
      Item item = items.next();
      if (underWay.contains(item)) { // by way of the other lane
        onceMore.add(item);
        items.remove();
      } else if (batch.putIfAbsent(item.id(), item) == null) {
        items.remove();
      } // else a waiter's entry beside the hold that it became: it goes with the next batch
    }
  }

  private void send(Collection<Item> batch) {
    Map<HoldId, Item> open = new ConcurrentHashMap<>();
    batch.forEach(item -> open.put(item.id(), item));
    LockException failure = new OutcomeUnknownException("the batch of renewals was not sent");
    try {
      List<Renewal> renewals = new ArrayList<>(batch.size());
      for (Item item : batch) {
        renewals.add(
            Renewal.of(item.name(), item.id(), Duration.ofNanos(item.needs()), item.isQueued()));
      }
      long sentAt = calls.beforeSending();
      calls.renew(renewals, (renewal, result) -> {
        Item item = open.remove(renewal.id());
        if (item != null) {
          MustNotBlock.run(() -> take(item, result, sentAt, renewal.lease().toNanos()));
        }
      });
    } finally {
      open.forEach((id, item) -> {
        if (open.remove(id, item)) {
          take(item, RenewalResult.failed(failure), 0, 0);
        }
      });
    }
  }

  private void take(Item item, RenewalResult result, long sentAt, long askedFor) {
    boolean again;
    synchronized (this) {
      underWay.remove(item);
      again = onceMore.remove(item);
    }
    try {
      if (result instanceof RenewalResult.Failed unanswered) {
        item.renewalFailed(unanswered.error());
      } else {
        item.renewed(result, sentAt, askedFor);
      }
    } catch (Throwable e) { // a fault with one item must not cost the others their answer
      threads.report("A renewal's answer could not be taken; the others go on", e);
      item.renewalFailed(new OutcomeUnknownException("the answer could not be taken", e));
    }
    if (again) {
      try {
        submit(item);
      } catch (Throwable e) { // no thread, at worst: it must not cost the others their answer
        threads.report("A renewal could not be repeated at once", e);
        item.renewalFailed(new OutcomeUnknownException("it could not be repeated at once", e));
      }
    }
  }
}
