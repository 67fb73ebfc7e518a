package dev.interlock.mysql;

import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Keeps holds and waiters alive: one statement writes and one reads for all holds with the same
 * lease, and the same for all waiters. Thread-safe.
 */
final class Renewer {
  private static final Comparator<KnownHold> BY_KEY = Comparator.<KnownHold>comparingInt(
          hold -> hold.at().bucket())
      .thenComparing(hold -> hold.at().key(), Arrays::compareUnsigned);
  private static final Comparator<KnownEntry> BY_TICKET = Comparator.<KnownEntry>comparingInt(
          entry -> entry.at().bucket())
      .thenComparing(entry -> entry.at().key(), Arrays::compareUnsigned)
      .thenComparingInt(KnownEntry::kind)
      .thenComparingLong(KnownEntry::ticket);

  private final Database database;
  private final Entries entries;
  private final Myself me;
  private final String namespace;
  private final Lanes lanes;

  Renewer(Database database, Entries entries, Myself me, String namespace, Lanes lanes) {
    this.database = database;
    this.entries = entries;
    this.me = me;
    this.namespace = namespace;
    this.lanes = lanes;
  }

  List<RenewalResult> renew(List<Renewal> batch) {
    Map<HoldId, RenewalResult> results = new HashMap<>();
    Map<Long, List<KnownHold>> holds = new TreeMap<>();
    Map<Long, List<KnownEntry>> shares = new TreeMap<>();
    List<KnownEntry> waiters = new ArrayList<>();
    for (Renewal renewal : batch) {
      KnownEntry entry = entries.get(renewal.id());
      long leaseUs = Limits.micros(renewal.lease());
      if (entry != null && entry.kind() == Entry.SHARE) {
        shares.computeIfAbsent(leaseUs, key -> new ArrayList<>()).add(entry);
      } else if (renewal.queued() && entry != null) {
        waiters.add(entry);
      } else {
        holds
            .computeIfAbsent(leaseUs, key -> new ArrayList<>())
            .add(new KnownHold(Place.of(namespace, renewal.name()), renewal.id()));
      }
    }
    holds.forEach((leaseUs, some) -> renewHolds(leaseUs, some, results));
    shares.forEach((leaseUs, some) -> renewShares(leaseUs, some, results));
    if (!waiters.isEmpty()) {
      refresh(waiters, results);
    }
    confirm(batch, results);
    return batch.stream()
        .map(renewal -> results.getOrDefault(renewal.id(), new RenewalResult.Gone()))
        .toList();
  }

  private void renewHolds(long leaseUs, List<KnownHold> holds, Map<HoldId, RenewalResult> results) {
    holds.sort(BY_KEY);
    List<HeldRow> rows = database.run("renewal", true, session -> {
      session.changes();
      session.mapper().renewHolds(holds, leaseUs);
      session.confirmed();
      // Their number would not do: a connection may be set up to count only what was prolonged.
      return session.mapper().readHolds(holds);
    });
    for (HeldRow row : rows) {
      results.put(new HoldId(row.client, row.hold), new RenewalResult.Held(row.token, row.tokens));
    }
  }

  private void renewShares(
      long leaseUs, List<KnownEntry> shares, Map<HoldId, RenewalResult> results) {
    shares.sort(BY_TICKET);
    List<EntryState> states = database.run("renewal", true, session -> {
      session.changes();
      session.mapper().renewShares(shares, leaseUs);
      session.confirmed();
      return session.mapper().readEntries(shares);
    });
    for (EntryState state : states) {
      if (state.remainingUs > 0) {
        results.put(new HoldId(state.client, state.hold), new RenewalResult.Held(state.token, 1));
      }
    }
    // One that is missing may have become the first hold of its lock, where it is renewed as such.
    List<KnownHold> promoted = new ArrayList<>();
    for (KnownEntry share : shares) {
      if (!results.containsKey(share.id())) {
        entries.remove(share.id());
        promoted.add(new KnownHold(share.at(), share.id()));
      }
    }
    if (!promoted.isEmpty()) {
      renewHolds(leaseUs, promoted, results);
    }
  }

  /**
   * Reads first: only entries that are old, or tell nobody of a client that listens, are written.
   */
  private void refresh(List<KnownEntry> waiters, Map<HoldId, RenewalResult> results) {
    waiters.sort(BY_TICKET);
    List<EntryState> states = states(waiters);
    if (states.stream().anyMatch(this::isOutdated)) {
      database.run("refresh", true, session -> {
        session.changes();
        return session.mapper().refreshWaiters(waiters, Limits.ENTRY_US, me.listens());
      });
    }
    if (serveFreeLocks(waiters, states)) {
      states = states(waiters);
    }
    for (EntryState state : states) {
      HoldId id = new HoldId(state.client, state.hold);
      if (!state.granted) {
        results.put(id, new RenewalResult.Queued(me.recheck(state.lockRemainingUs, state.bell)));
      }
    }
  }

  private boolean isOutdated(EntryState state) {
    return !state.granted
        && (state.asleep
            || state.remainingUs < Limits.ENTRY_FRESH_US
            || (!state.bell && me.listens()));
  }

  private List<EntryState> states(List<KnownEntry> waiters) {
    return database.run("refresh", true, session -> session.mapper().readEntries(waiters));
  }

  /** A lock whose holder is dead is served by whoever notices. */
  private boolean serveFreeLocks(List<KnownEntry> waiters, List<EntryState> states) {
    Map<HoldId, String> names = new HashMap<>();
    waiters.forEach(waiter -> names.put(waiter.id(), waiter.name()));
    Set<String> free = new LinkedHashSet<>();
    for (EntryState state : states) {
      String name = names.get(new HoldId(state.client, state.hold));
      if (state.lockRemainingUs <= 0 && name != null) {
        free.add(name);
      }
    }
    free.forEach(name -> lanes.run(name, new Steps.Tidy(null)));
    return !free.isEmpty();
  }

  /** Waiters that are not in the queue any more: granted meanwhile, which is confirmed, or gone. */
  private void confirm(List<Renewal> batch, Map<HoldId, RenewalResult> results) {
    Map<Long, List<KnownHold>> granted = new TreeMap<>();
    for (Renewal renewal : batch) {
      if (renewal.queued() && !results.containsKey(renewal.id())) {
        entries.remove(renewal.id());
        granted
            .computeIfAbsent(Limits.micros(renewal.lease()), key -> new ArrayList<>())
            .add(new KnownHold(Place.of(namespace, renewal.name()), renewal.id()));
      }
    }
    granted.forEach((leaseUs, some) -> renewHolds(leaseUs, some, results));
  }
}
