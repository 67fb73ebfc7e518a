package dev.interlock.mysql.internal.backend;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.mysql.internal.connection.Faults;
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
import dev.interlock.sql.support.SqlCauses;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.ibatis.exceptions.PersistenceException;
import org.jspecify.annotations.Nullable;

/**
 * Keeps holds and waiters alive: one packet for all holds with the same lease, and one for all
 * waiters. Holds that stand in the queue's table, and those who wait for a part of a lock, have one
 * transaction for each lock: nobody but the owner of the row lock decides from that table. A lock
 * of which somebody keeps the row locked fails alone. Thread-safe.
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
    List<List<Renewal>> locked = new ArrayList<>();
    renewHolds(holds, locked, answers);
    shares.forEach((name, some) -> prolong(name, some, answers));
    if (!queue.isEmpty()) {
      queue.sort(BY_TICKET);
      Map<HoldId, Renewal> free = refresh(queue, waiters, answers);
      renewGranted(waiters, locked, answers);
      if (!free.isEmpty()) {
        serve(free, answers);
        queue.removeIf(entry -> !free.containsKey(entry.id()));
        if (!queue.isEmpty()) {
          answerWaiting(states(queue), free, answers);
        }
        renewGranted(free, locked, answers);
      }
    }
    // Last: each takes its time. Those of shared locks above take theirs, too.
    locked.forEach(some -> renewOneByOne(some, answers));
  }

  /** Those that are not in the queue any more: granted meanwhile, which is confirmed, or gone. */
  private void renewGranted(
      Map<HoldId, Renewal> waiters, List<List<Renewal>> locked, RenewalAnswers answers) {
    waiters.keySet().forEach(entries::remove);
    renewHolds(List.copyOf(waiters.values()), locked, answers);
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
      fail(some, e, answers);
    }
  }

  /**
   * One packet, and one more for those whose tokens are too small. A client that dies in between
   * has prolonged these, and raised nothing: as one whose renewal came without a smallest token.
   *
   * @param locked takes those that are not answered, for somebody keeps their rows locked
   */
  private void renewHolds(List<Renewal> holds, List<List<Renewal>> locked, RenewalAnswers answers) {
    holds.stream().collect(Collectors.groupingBy(Renewal::lease)).forEach((lease, some) -> {
      List<Renewal> tooSmall = renewTogether(some, false, locked, answers);
      if (!tooSmall.isEmpty()) {
        renewTogether(tooSmall, true, locked, answers);
      }
    });
  }

  /**
   * Answers all but those whose tokens are too small and were not to be raised, which it returns,
   * and those whose rows are locked.
   */
  private List<Renewal> renewTogether(
      List<Renewal> some, boolean raise, List<List<Renewal>> locked, RenewalAnswers answers) {
    Optional<Map<HoldId, HeldRow>> rows;
    try {
      rows = prolong(some, raise);
    } catch (LockException e) {
      fail(some, e, answers);
      return List.of();
    }
    if (rows.isEmpty()) {
      renewFree(some, locked, answers);
      return List.of();
    }
    Map<HoldId, HeldRow> held = rows.get();
    Map<Boolean, List<Renewal>> bySize = some.stream()
        .collect(Collectors.partitioningBy(
            renewal -> !raise && isTooSmall(held.get(renewal.id()), renewal)));
    answer(bySize.getOrDefault(false, List.of()), held, answers);
    return bySize.getOrDefault(true, List.of());
  }

  /**
   * For when somebody keeps the row of one of them locked, as an operator may: that must not cost
   * the others their leases.
   */
  private void renewFree(List<Renewal> some, List<List<Renewal>> locked, RenewalAnswers answers) {
    try {
      List<Renewal> open = renewFree(some, answers);
      if (!open.isEmpty()) {
        locked.add(open);
      }
    } catch (LockException e) {
      fail(some, e, answers);
    }
  }

  /** Renews those that have one lease, and whose rows were locked. */
  private void renewOneByOne(List<Renewal> some, RenewalAnswers answers) {
    List<Renewal> open = some;
    try {
      while (!open.isEmpty()) {
        Renewal one = open.get(0);
        Optional<Map<HoldId, HeldRow>> held = prolong(List.of(one), true);
        open = open.subList(1, open.size());
        if (held.isPresent()) {
          answer(List.of(one), held.get(), answers);
        } else {
          answers.answer(one, RenewalResult.failed(rowLocked(one.name())));
          // That took its time: whose row is free by now waits for no other.
          open = renewFree(open, answers);
        }
      }
    } catch (LockException e) {
      fail(open, e, answers);
    }
  }

  /** Renews those of which the row is to be had at once. Answers the others. */
  private List<Renewal> renewFree(List<Renewal> some, RenewalAnswers answers) {
    if (some.isEmpty()) {
      return some;
    }
    List<KnownHold> asked = sorted(some);
    Map<HoldId, HeldRow> held = byId(database.run("renewal", true, session -> {
      session.begins();
      Set<HoldId> locked =
          byId(session.mapper().lockFreeHolds(asked, session.transaction())).keySet();
      List<KnownHold> free =
          asked.stream().filter(hold -> locked.contains(hold.id())).toList();
      if (free.isEmpty()) {
        session.mapper().rollBack();
        session.ended();
        return List.of();
      }
      session.changes();
      List<HeldRow> rows = session
          .mapper()
          .renewHolds(free, Micros.of(some.get(0).lease()), true, session.transaction());
      session.ended();
      return rows;
    }));
    Map<Boolean, List<Renewal>> byAnswer =
        some.stream().collect(Collectors.partitioningBy(one -> held.containsKey(one.id())));
    answer(byAnswer.getOrDefault(true, List.of()), held, answers);
    return byAnswer.getOrDefault(false, List.of());
  }

  /** Answers nothing if a row of them is not to be had in time. */
  private Optional<Map<HoldId, HeldRow>> prolong(List<Renewal> some, boolean raise) {
    List<KnownHold> sorted = sorted(some);
    return database.run("renewal", true, session -> {
      session.changes();
      try {
        return Optional.of(
            byId(session.mapper().renewHolds(sorted, Micros.of(some.get(0).lease()), raise, null)));
      } catch (PersistenceException e) {
        SQLException error = SqlCauses.first(e);
        if (error == null || !Faults.isLockWait(error)) {
          throw e;
        }
        return Optional.empty();
      }
    });
  }

  private List<KnownHold> sorted(List<Renewal> some) {
    return some.stream()
        .map(renewal ->
            new KnownHold(LockKey.of(namespace, renewal.name()), renewal.id(), renewal.minToken()))
        .sorted(BY_KEY)
        .toList();
  }

  private static Map<HoldId, HeldRow> byId(List<HeldRow> rows) {
    Map<HoldId, HeldRow> held = new HashMap<>();
    rows.forEach(row -> held.put(row.id(), row));
    return held;
  }

  private static LockException rowLocked(String name) {
    return new BackendUnavailableException(
        "renewal of lock '" + name + "': another session keeps its row locked");
  }

  private static void fail(List<Renewal> some, LockException error, RenewalAnswers answers) {
    some.forEach(renewal -> answers.answer(renewal, RenewalResult.failed(error)));
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

  /** Answers for those who still wait. Returns those whose lock is free; the others are left. */
  private Map<HoldId, Renewal> refresh(
      List<KnownEntry> queue, Map<HoldId, Renewal> waiters, RenewalAnswers answers) {
    List<EntryState> states = states(queue);
    Map<HoldId, Renewal> free = new LinkedHashMap<>();
    for (EntryState state : states) {
      Renewal waiter = state.lockRemainingUs <= 0 ? waiters.remove(state.id()) : null;
      if (waiter != null) {
        free.put(state.id(), waiter);
      }
    }
    answerWaiting(states, waiters, answers);
    return free;
  }

  /** Leaves those that do not wait any more. */
  private void answerWaiting(
      List<EntryState> states, Map<HoldId, Renewal> waiters, RenewalAnswers answers) {
    for (EntryState state : states) {
      Renewal waiter = state.granted ? null : waiters.remove(state.id());
      if (waiter != null) {
        answers.answer(
            waiter, RenewalResult.queued(me.recheck(state.lockRemainingUs, state.listens)));
      }
    }
  }

  /**
   * A lock whose holder is dead is served by whoever notices. One of which the row is not to be had
   * says nothing of the others.
   */
  private void serve(Map<HoldId, Renewal> free, RenewalAnswers answers) {
    Map<String, List<Renewal>> byName =
        free.values().stream().collect(Collectors.groupingBy(Renewal::name));
    byName.forEach((name, some) -> {
      Operations.Tidy look = new Operations.Tidy(null);
      batcher.run(name, look);
      try {
        look.outcome().get();
      } catch (LockException e) {
        some.forEach(waiter -> free.remove(waiter.id()));
        fail(some, e, answers);
      }
    });
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
