package dev.interlock.mysql.internal.backend;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.mysql.internal.grants.Entries;
import dev.interlock.mysql.internal.queue.Entry;
import dev.interlock.mysql.internal.queue.LocalClient;
import dev.interlock.mysql.internal.queue.Protocol;
import dev.interlock.mysql.internal.statements.LockKey;
import dev.interlock.mysql.internal.statements.LockMapper.EntryState;
import dev.interlock.mysql.internal.statements.LockMapper.KnownEntry;
import dev.interlock.mysql.internal.statements.LockSession;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.sql.support.Database;
import dev.interlock.sql.support.LockBatcher;
import dev.interlock.sql.support.Recheck;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Keeps holds and waiters alive: one packet for all holds with the same lease, one for all of them
 * that stand in the queue's table, and one for all waiters. Those who wait for a part of a lock,
 * and holds that are not found where they stood, have one transaction for each lock. A lock of
 * which somebody keeps the row locked comes last, and fails alone. Thread-safe.
 */
final class Renewer {
  private static final Comparator<KnownEntry> BY_TICKET =
      Comparator.comparing(KnownEntry::at, LockKey.IN_ORDER).thenComparingLong(KnownEntry::ticket);

  private static final int MOST_TRIES = 5;
  private static final long BETWEEN_TRIES_NANOS = TimeUnit.MILLISECONDS.toNanos(7);

  private final Database<LockSession> database;
  private final Entries entries;
  private final LocalClient me;
  private final Operations.Noted noted;
  private final String namespace;
  private final LockBatcher<Operation<?>> batcher;

  Renewer(
      Database<LockSession> database,
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
    Map<Renewal, KnownEntry> parts = new LinkedHashMap<>();
    List<Renewal> byLock = new ArrayList<>();
    List<KnownEntry> queue = new ArrayList<>();
    Map<HoldId, Renewal> waiters = new LinkedHashMap<>();
    for (Renewal renewal : batch) {
      KnownEntry entry = entries.get(renewal.id());
      if (entry != null && entry.kind() == Entry.SHARE) {
        parts.put(renewal, entry);
      } else if (entry != null && entry.counted()) {
        byLock.add(renewal);
      } else if (entry != null && renewal.queued()) {
        waiters.put(renewal.id(), renewal);
        queue.add(entry);
      } else {
        holds.add(renewal);
      }
    }
    queue.sort(BY_TICKET);
    HoldRenewals inRows = new HoldRenewals(database, namespace, answers);
    // Those whose lock was free, and is served since.
    Map<HoldId, Renewal> served = new LinkedHashMap<>();
    // Takes no row of a lock, and so first: who keeps others out must show itself in two seconds.
    List<RowWork<?>> works = new ArrayList<>(refresh(queue, waiters, served, answers));
    renewGranted(waiters, inRows);
    inRows.renew(holds);
    byLock.addAll(new PartRenewals(database, entries, answers).renew(parts));
    byLock.addAll(inRows.takeLapsed());
    works.addAll(prolonging(byLock, answers));
    Deque<RowWork<?>> left = doUnlocked(works, inRows);
    answerServed(queue, served, inRows, answers);
    renewLast(left, inRows, () -> answerServed(queue, served, inRows, answers));
    // Of those whose rows were to be had only now.
    renewLast(prolonging(inRows.takeLapsed(), answers), inRows, () -> {});
  }

  /** Tries some times: a row that is merely busy is free in between. */
  private Deque<RowWork<?>> doUnlocked(List<RowWork<?>> works, HoldRenewals inRows) {
    Deque<RowWork<?>> left = RowWork.doUnlocked(works, batcher);
    for (int tries = 1; tries < MOST_TRIES && !left.isEmpty(); tries++) {
      LockSupport.parkNanos(BETWEEN_TRIES_NANOS);
      left = RowWork.doUnlocked(left, batcher);
      inRows.renewUnlocked();
    }
    return left;
  }

  /**
   * Rows that are locked: each that is kept so takes its time, and who has one of the others by
   * then does not. Transactions first, as others may be at their rows all the time, one behind the
   * other, and who stands in line has its turn soon.
   */
  private void renewLast(Collection<RowWork<?>> rest, HoldRenewals inRows, Runnable afterEach) {
    Deque<RowWork<?>> left = new ArrayDeque<>(rest);
    while (!left.isEmpty()) {
      left.remove().run(batcher);
      left = RowWork.doUnlocked(left, batcher);
      afterEach.run();
      inRows.renewUnlocked();
    }
    inRows.renewLocked();
  }

  /** Those that are not in the queue any more: granted meanwhile, which is confirmed, or gone. */
  private void renewGranted(Map<HoldId, Renewal> waiters, HoldRenewals inRows) {
    waiters.keySet().forEach(entries::remove);
    inRows.renew(List.copyOf(waiters.values()));
  }

  private List<RowWork<?>> prolonging(List<Renewal> some, RenewalAnswers answers) {
    List<RowWork<?>> works = new ArrayList<>();
    some.stream()
        .collect(Collectors.groupingBy(Renewal::name, LinkedHashMap::new, Collectors.toList()))
        .forEach((name, ofOne) -> works.add(prolonging(name, ofOne, answers)));
    return works;
  }

  private RowWork<?> prolonging(String name, List<Renewal> some, RenewalAnswers answers) {
    return new RowWork<>(
        name,
        new Operations.Prolong(some, entries, noted),
        results -> {
          for (int i = 0; i < some.size(); i++) {
            answers.answer(some.get(i), results.get(i));
          }
        },
        error -> fail(some, error, answers));
  }

  private static void fail(Collection<Renewal> some, LockException error, RenewalAnswers answers) {
    some.forEach(renewal -> answers.answer(renewal, RenewalResult.failed(error)));
  }

  /**
   * Answers for those who still wait for a lock that is held. Leaves those who wait no longer.
   *
   * @param served takes those whose lock is free once it is served
   * @return what serves them: a lock whose holder is dead is served by whoever notices
   */
  private List<RowWork<?>> refresh(
      List<KnownEntry> queue,
      Map<HoldId, Renewal> waiters,
      Map<HoldId, Renewal> served,
      RenewalAnswers answers) {
    List<EntryState> states = states(queue, waiters, answers);
    Map<String, List<Renewal>> free = states.stream()
        .filter(state -> state.lockRemainingUs <= 0)
        .map(state -> waiters.remove(state.id()))
        .filter(Objects::nonNull)
        .collect(Collectors.groupingBy(Renewal::name));
    answerWaiting(states, waiters, answers);
    List<RowWork<?>> works = new ArrayList<>();
    free.forEach((name, some) -> works.add(new RowWork<>(
        name,
        new Operations.Tidy(null),
        done -> some.forEach(waiter -> served.put(waiter.id(), waiter)),
        error -> fail(some, error, answers))));
    return works;
  }

  /** Leaves nobody. */
  private void answerServed(
      List<KnownEntry> queue,
      Map<HoldId, Renewal> served,
      HoldRenewals inRows,
      RenewalAnswers answers) {
    List<KnownEntry> places =
        queue.stream().filter(entry -> served.containsKey(entry.id())).toList();
    answerWaiting(states(places, served, answers), served, answers);
    renewGranted(served, inRows);
    served.clear();
  }

  /** Leaves those that do not wait any more. */
  private void answerWaiting(
      List<EntryState> states, Map<HoldId, Renewal> waiters, RenewalAnswers answers) {
    for (EntryState state : states) {
      Renewal waiter = state.granted ? null : waiters.remove(state.id());
      if (waiter != null) {
        answers.answer(
            waiter,
            RenewalResult.queued(me.recheck(state.lockRemainingUs, state.listens))
                .withOwnerHolds(state.ownerHolds));
      }
    }
  }

  /** Answers them all if it fails. */
  private List<EntryState> states(
      List<KnownEntry> queue, Map<HoldId, Renewal> waiters, RenewalAnswers answers) {
    if (queue.isEmpty()) {
      return List.of();
    }
    try {
      Optional<List<EntryState>> states = states(queue);
      return states.isPresent() ? states.get() : statesOfUnlocked(queue, waiters, answers);
    } catch (LockException e) {
      fail(waiters.values(), e, answers);
      waiters.clear();
      return List.of();
    }
  }

  /**
   * For when somebody keeps the entry of one of them locked: that must not cost the others their
   * places. Whoever has that one, or the table, is waited for once more at most.
   */
  private List<EntryState> statesOfUnlocked(
      List<KnownEntry> queue, Map<HoldId, Renewal> waiters, RenewalAnswers answers) {
    List<KnownEntry> free = new ArrayList<>();
    List<KnownEntry> left = queue;
    for (int tries = 0; tries < MOST_TRIES && !left.isEmpty(); tries++) {
      LockSupport.parkNanos(tries == 0 ? 0 : BETWEEN_TRIES_NANOS);
      Optional<Set<HoldId>> unlocked = unlocked(left);
      if (unlocked.isEmpty()) {
        failLocked(queue, waiters, answers);
        return List.of();
      }
      Map<Boolean, List<KnownEntry>> parts = left.stream()
          .collect(Collectors.partitioningBy(entry -> unlocked.get().contains(entry.id())));
      free.addAll(parts.getOrDefault(true, List.of()));
      left = parts.getOrDefault(false, List.of());
    }
    failLocked(left, waiters, answers);
    free.sort(BY_TICKET);
    Optional<List<EntryState>> states = free.isEmpty() ? Optional.of(List.of()) : states(free);
    if (states.isEmpty()) {
      failLocked(free, waiters, answers);
    }
    return states.orElse(List.of());
  }

  private static void failLocked(
      List<KnownEntry> entries, Map<HoldId, Renewal> waiters, RenewalAnswers answers) {
    for (KnownEntry entry : entries) {
      Renewal waiter = waiters.remove(entry.id());
      if (waiter != null) {
        answers.answer(waiter, RenewalResult.failed(entryLocked(entry.name())));
      }
    }
  }

  /** Answers nothing if it has to wait for the table in vain. */
  private Optional<Set<HoldId>> unlocked(List<KnownEntry> queue) {
    return database.run(
        "refresh",
        true,
        session -> LockSession.unlessLocked(() -> session.mapper().unlockedEntries(queue).stream()
            .map(EntryState::id)
            .collect(Collectors.toSet())));
  }

  private static LockException entryLocked(String name) {
    return new BackendUnavailableException(
        "refresh of lock '" + name + "': another session keeps a waiter's row locked");
  }

  private Optional<List<EntryState>> states(List<KnownEntry> queue) {
    return database.run("refresh", true, session -> {
      session.changes();
      return LockSession.unlessLocked(() -> session
          .mapper()
          .refreshWaiters(
              queue,
              Recheck.LONGEST_STAY_US,
              Protocol.ENTRY_FRESH_US,
              Protocol.SUMMONED_FRESH_US,
              me.listens()));
    });
  }
}
