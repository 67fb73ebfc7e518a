package dev.interlock.mysql.internal.backend;

import dev.interlock.BackendRefusedException;
import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.mysql.internal.statements.LockKey;
import dev.interlock.mysql.internal.statements.LockMapper.HeldRow;
import dev.interlock.mysql.internal.statements.LockMapper.KnownHold;
import dev.interlock.mysql.internal.statements.LockSession;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.sql.support.Database;
import dev.interlock.sql.support.Micros;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Renews the exclusive holds of one batch, which stand in the locks' rows: one packet for all with
 * the same lease. Not thread-safe.
 */
final class HoldRenewals {
  private static final Comparator<KnownHold> BY_KEY =
      Comparator.comparing(KnownHold::at, LockKey.IN_ORDER);

  private final Database<LockSession> database;
  private final String namespace;
  private final RenewalAnswers answers;
  private final List<List<Renewal>> locked = new ArrayList<>();
  private final List<Renewal> lapsed = new ArrayList<>();

  /** Whether this batch has waited for a locked row: once is enough. */
  private boolean hasWaited;

  HoldRenewals(Database<LockSession> database, String namespace, RenewalAnswers answers) {
    this.database = database;
    this.namespace = namespace;
    this.answers = answers;
  }

  /**
   * One packet, and one more for those whose tokens are too small. A client that dies in between
   * has prolonged these, and raised nothing: as one whose renewal came without a smallest token.
   * Leaves those of which somebody keeps the row locked.
   */
  void renew(List<Renewal> holds) {
    holds.stream().collect(Collectors.groupingBy(Renewal::lease)).forEach((lease, some) -> {
      List<Renewal> tooSmall = renewTogether(some, false);
      if (!tooSmall.isEmpty()) {
        renewTogether(tooSmall, true);
      }
    });
  }

  /** Renews those that were left and of which the row is to be had by now. */
  void renewUnlocked() {
    takeLocked().forEach(this::renewOrLeave);
  }

  /** Renews those that were left: one by one, for each takes its time. */
  void renewLocked() {
    takeLocked().forEach(this::renewOneByOne);
  }

  /**
   * Takes those whose grants ran out before they were confirmed, and are not answered: their
   * entries would be granted anew, to nobody. A transaction has to remove them first. Behind the
   * answer the id may stand in the queue again, by another attempt.
   */
  List<Renewal> takeLapsed() {
    List<Renewal> left = List.copyOf(lapsed);
    lapsed.clear();
    return left;
  }

  private List<List<Renewal>> takeLocked() {
    List<List<Renewal>> left = List.copyOf(locked);
    locked.clear();
    return left;
  }

  /**
   * Answers all but those whose tokens are too small and were not to be raised, which it returns,
   * and those whose rows are locked.
   */
  private List<Renewal> renewTogether(List<Renewal> some, boolean raise) {
    if (hasWaited) {
      renewOrLeave(some);
      return List.of();
    }
    Optional<Map<HoldId, HeldRow>> rows;
    try {
      rows = prolong(some, raise);
    } catch (LockException e) {
      if (e instanceof BackendRefusedException && some.size() > 1) {
        // One by one it turns out which of them the server refuses.
        some.forEach(one -> renewTogether(List.of(one), true));
      } else {
        fail(some, e);
      }
      return List.of();
    }
    if (rows.isEmpty()) {
      hasWaited = true;
      renewOrLeave(some);
      return List.of();
    }
    Map<HoldId, HeldRow> held = rows.get();
    Map<Boolean, List<Renewal>> bySize = some.stream()
        .collect(Collectors.partitioningBy(
            renewal -> !raise && isTooSmall(held.get(renewal.id()), renewal)));
    answer(bySize.getOrDefault(false, List.of()), held);
    return bySize.getOrDefault(true, List.of());
  }

  /**
   * For when somebody keeps the row of one of them locked, as an operator may: that must not cost
   * the others their leases.
   */
  private void renewOrLeave(List<Renewal> some) {
    try {
      List<Renewal> open = renewFree(some);
      if (!open.isEmpty()) {
        locked.add(open);
      }
    } catch (LockException e) {
      fail(some, e);
    }
  }

  /** Renews those that have one lease, and whose rows were locked. */
  private void renewOneByOne(List<Renewal> some) {
    List<Renewal> open = some;
    try {
      while (!open.isEmpty()) {
        Renewal one = open.get(0);
        Optional<Map<HoldId, HeldRow>> held = prolong(List.of(one), true);
        open = open.subList(1, open.size());
        if (held.isPresent()) {
          answer(List.of(one), held.get());
        } else {
          answers.answer(one, RenewalResult.failed(rowLocked(one.name())));
          // That took its time: whose row is free by now waits for no other.
          open = renewFree(open);
        }
      }
    } catch (LockException e) {
      fail(open, e);
    }
  }

  /** Renews those of which the row is to be had at once. Answers the others. */
  private List<Renewal> renewFree(List<Renewal> some) {
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
    answer(byAnswer.getOrDefault(true, List.of()), held);
    return byAnswer.getOrDefault(false, List.of());
  }

  /** Answers nothing if a row of them is not to be had in time. */
  private Optional<Map<HoldId, HeldRow>> prolong(List<Renewal> some, boolean raise) {
    List<KnownHold> sorted = sorted(some);
    return database.run("renewal", true, session -> {
      session.changes();
      return LockSession.unlessLocked(() ->
          byId(session.mapper().renewHolds(sorted, Micros.of(some.get(0).lease()), raise, null)));
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

  private void fail(List<Renewal> some, LockException error) {
    some.forEach(renewal -> answers.answer(renewal, RenewalResult.failed(error)));
  }

  private static boolean isTooSmall(@Nullable HeldRow row, Renewal renewal) {
    return row != null && row.token < renewal.minToken();
  }

  /** Sets those aside whose grants have lapsed. */
  private void answer(List<Renewal> some, Map<HoldId, HeldRow> held) {
    List<Renewal> gone = new ArrayList<>();
    for (Renewal renewal : some) {
      HeldRow row = held.get(renewal.id());
      if (row != null) {
        answers.answer(renewal, RenewalResult.held(renewal, row.token).withTokens(row.tokens));
      } else if (renewal.queued()) {
        answers.answer(renewal, RenewalResult.gone());
      } else {
        gone.add(renewal);
      }
    }
    Set<HoldId> unconfirmed = unconfirmed(gone);
    for (Renewal renewal : gone) {
      if (unconfirmed.contains(renewal.id())) {
        lapsed.add(renewal);
      } else {
        answers.answer(renewal, RenewalResult.gone());
      }
    }
  }

  private Set<HoldId> unconfirmed(List<Renewal> gone) {
    if (gone.isEmpty()) {
      return Set.of();
    }
    try {
      List<KnownHold> asked = sorted(gone);
      return byId(database.run("renewal", true, session -> session.mapper().unconfirmed(asked)))
          .keySet();
    } catch (LockException e) {
      return Set.of(); // they are gone; nobody keeps their entries alive, so these run out
    }
  }
}
