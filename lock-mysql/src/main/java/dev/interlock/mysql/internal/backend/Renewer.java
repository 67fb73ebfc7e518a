package dev.interlock.mysql.internal.backend;

import dev.interlock.LockException;
import dev.interlock.mysql.internal.grants.Entries;
import dev.interlock.mysql.internal.queue.Entry;
import dev.interlock.mysql.internal.queue.LocalClient;
import dev.interlock.mysql.internal.queue.Protocol;
import dev.interlock.mysql.internal.statements.Database;
import dev.interlock.mysql.internal.statements.LockKey;
import dev.interlock.mysql.internal.statements.LockMapper.EntryState;
import dev.interlock.mysql.internal.statements.LockMapper.HeldRow;
import dev.interlock.mysql.internal.statements.LockMapper.KnownEntry;
import dev.interlock.mysql.internal.statements.LockMapper.KnownHold;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.sql.support.LockBatcher;
import dev.interlock.sql.support.Micros;
import dev.interlock.sql.support.Recheck;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps holds and waiters alive: one packet for all holds with the same lease, and one for all
 * waiters. Holds that stand in the queue's table, and those who wait for a part of a lock, have one
 * transaction for each lock: nobody but the owner of the row lock decides from that table.
 * Thread-safe.
 */
final class Renewer {
  private static final Comparator<KnownHold> BY_KEY = Comparator.<KnownHold>comparingInt(
          hold -> hold.at().bucket())
      .thenComparing(hold -> hold.at().key(), Arrays::compareUnsigned);
  private static final Comparator<KnownEntry> BY_TICKET = Comparator.<KnownEntry>comparingInt(
          entry -> entry.at().bucket())
      .thenComparing(entry -> entry.at().key(), Arrays::compareUnsigned)
      .thenComparingLong(KnownEntry::ticket);

  private final Database database;
  private final Entries entries;
  private final LocalClient me;
  private final Operations.Noted noted;
  private final String namespace;
  private final LockBatcher<Operation<?>> batcher;

  Renewer(
      Database database,
      Entries entries,
      LocalClient me,
      Operations.Noted noted,
      String namespace,
      LockBatcher<Operation<?>> batcher) {
    this.database = database;
    this.entries = entries;
    this.me = me;
    this.noted = noted;
    this.namespace = namespace;
    this.batcher = batcher;
  }

  void renew(List<Renewal> batch, RenewalAnswers answers) {
    List<Renewal> holds = new ArrayList<>();
    Map<String, List<Renewal>> shares = new LinkedHashMap<>();
    List<KnownEntry> queue = new ArrayList<>();
    Map<HoldId, Renewal> waiters = new LinkedHashMap<>();
    for (Renewal renewal : batch) {
      KnownEntry entry = entries.get(renewal.id());
      if (entry != null && (entry.kind() == Entry.SHARE || entry.counted())) {
        shares.computeIfAbsent(renewal.name(), name -> new ArrayList<>()).add(renewal);
      } else if (entry != null && renewal.queued()) {
        waiters.put(renewal.id(), renewal);
        queue.add(entry);
      } else {
        holds.add(renewal);
      }
    }
    renewHolds(holds, answers);
    shares.forEach((name, some) -> prolong(name, some, answers));
    if (!queue.isEmpty()) {
      queue.sort(BY_TICKET);
      refresh(queue, waiters, answers);
      // Those that are not in the queue any more: granted meanwhile, which is confirmed, or gone.
      waiters.keySet().forEach(entries::remove);
      renewHolds(List.copyOf(waiters.values()), answers);
    }
  }

  /** A lock of which the row is not to be had says nothing of the others. */
  private void prolong(String name, List<Renewal> some, RenewalAnswers answers) {
    Operations.Prolong operation = new Operations.Prolong(some, entries, noted);
    try {
      batcher.run(name, operation);
      List<RenewalResult> results = operation.outcome().get();
      for (int i = 0; i < some.size(); i++) {
        answers.answer(some.get(i), results.get(i));
      }
    } catch (LockException e) {
      some.forEach(renewal -> answers.answer(renewal, RenewalResult.failed(e)));
    }
  }

  /**
   * One packet, and one more for those whose tokens are too small. A client that dies in between
   * has prolonged these, and raised nothing: as one whose renewal came without a smallest token.
   */
  private void renewHolds(List<Renewal> holds, RenewalAnswers answers) {
    holds.stream().collect(Collectors.groupingBy(Renewal::lease)).forEach((lease, some) -> {
      Map<HoldId, HeldRow> held = prolong(some, lease, false);
      Map<Boolean, List<Renewal>> bySize = some.stream()
          .collect(
              Collectors.partitioningBy(renewal -> isTooSmall(held.get(renewal.id()), renewal)));
      answer(bySize.getOrDefault(false, List.of()), held, answers);
      List<Renewal> tooSmall = bySize.getOrDefault(true, List.of());
      if (!tooSmall.isEmpty()) {
        answer(tooSmall, prolong(tooSmall, lease, true), answers);
      }
    });
  }

  private Map<HoldId, HeldRow> prolong(List<Renewal> some, Duration lease, boolean raise) {
    List<KnownHold> sorted = some.stream()
        .map(renewal ->
            new KnownHold(LockKey.of(namespace, renewal.name()), renewal.id(), renewal.minToken()))
        .sorted(BY_KEY)
        .toList();
    List<HeldRow> rows = database.run("renewal", true, session -> {
      session.changes();
      return session.mapper().renewHolds(sorted, Micros.of(lease), raise);
    });
    Map<HoldId, HeldRow> held = new HashMap<>();
    rows.forEach(row -> held.put(row.id(), row));
    return held;
  }

  private static boolean isTooSmall(@Nullable HeldRow row, Renewal renewal) {
    return row != null && row.token < renewal.minToken();
  }

  private static void answer(
      List<Renewal> some, Map<HoldId, HeldRow> held, RenewalAnswers answers) {
    some.forEach(renewal -> answers.answer(renewal, result(renewal, held.get(renewal.id()))));
  }

  private static RenewalResult result(Renewal renewal, @Nullable HeldRow row) {
    return row == null
        ? RenewalResult.gone()
        : RenewalResult.held(renewal, row.token).withTokens(row.tokens);
  }

  /** Answers for those who still wait, and leaves the others in the map. */
  private void refresh(
      List<KnownEntry> queue, Map<HoldId, Renewal> waiters, RenewalAnswers answers) {
    List<EntryState> states = states(queue);
    // A lock whose holder is dead is served by whoever notices.
    Set<String> free = states.stream()
        .filter(state -> state.lockRemainingUs <= 0)
        .flatMap(state -> Stream.ofNullable(waiters.get(state.id())))
        .map(Renewal::name)
        .collect(Collectors.toSet());
    if (!free.isEmpty()) {
      for (String name : free) {
        Operations.Tidy look = new Operations.Tidy(null);
        batcher.run(name, look);
        look.outcome().get();
      }
      states = states(queue);
    }
    for (EntryState state : states) {
      Renewal waiter = state.granted ? null : waiters.remove(state.id());
      if (waiter != null) {
        answers.answer(
            waiter, RenewalResult.queued(me.recheck(state.lockRemainingUs, state.listens)));
      }
    }
  }

  private List<EntryState> states(List<KnownEntry> queue) {
    return database.run("refresh", true, session -> {
      session.changes();
      return session
          .mapper()
          .refreshWaiters(
              queue,
              Recheck.LONGEST_STAY_US,
              Protocol.ENTRY_FRESH_US,
              Protocol.SUMMONED_FRESH_US,
              me.listens());
    });
  }
}
