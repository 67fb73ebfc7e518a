package dev.interlock.mysql.internal.backend;

import dev.interlock.BackendRefusedException;
import dev.interlock.LockException;
import dev.interlock.mysql.internal.grants.Entries;
import dev.interlock.mysql.internal.statements.LockKey;
import dev.interlock.mysql.internal.statements.LockMapper.HeldRow;
import dev.interlock.mysql.internal.statements.LockMapper.KnownEntry;
import dev.interlock.mysql.internal.statements.LockMapper.LockParts;
import dev.interlock.mysql.internal.statements.LockSession;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.sql.support.Database;
import dev.interlock.sql.support.Micros;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Renews the holds of one batch that are entries: readers, permits, and the further holds of shared
 * owners. One packet for all with the same lease, which waits for no lock's row. Not thread-safe.
 */
final class PartRenewals {
  private final Database<LockSession> database;
  private final Entries entries;
  private final RenewalAnswers answers;

  PartRenewals(Database<LockSession> database, Entries entries, RenewalAnswers answers) {
    this.database = database;
    this.entries = entries;
    this.answers = answers;
  }

  /**
   * Answers those that have not run out.
   *
   * @param parts with the entry of each
   * @return the others, which need a transaction on their lock: somebody keeps its row locked, the
   *     hold may be gone or stand in the row by now, or its token is too small
   */
  List<Renewal> renew(Map<Renewal, KnownEntry> parts) {
    List<Renewal> left = new ArrayList<>();
    parts.keySet().stream()
        .collect(Collectors.groupingBy(Renewal::lease))
        .forEach((lease, some) ->
            left.addAll(renew(lease, some, some.stream().map(parts::get).toList())));
    return left;
  }

  private List<Renewal> renew(Duration lease, List<Renewal> some, List<KnownEntry> places) {
    Map<HoldId, HeldRow> held;
    try {
      held = prolong(lease, places);
    } catch (BackendRefusedException e) {
      return some; // lock by lock it turns out which of them the server refuses
    } catch (LockException e) {
      some.forEach(renewal -> answers.answer(renewal, RenewalResult.failed(e)));
      return List.of();
    }
    List<Renewal> left = new ArrayList<>();
    for (Renewal renewal : some) {
      HeldRow row = held.get(renewal.id());
      if (row == null || row.token < renewal.minToken()) {
        left.add(renewal);
      } else {
        entries.prolong(renewal.id(), lease);
        answers.answer(renewal, RenewalResult.held(renewal, row.token));
      }
    }
    return left;
  }

  private Map<HoldId, HeldRow> prolong(Duration lease, List<KnownEntry> places) {
    List<LockParts> locks = byLock(places);
    List<HeldRow> rows = database.run("renewal", true, session -> {
      session.begins();
      session.changes();
      // If somebody keeps an entry locked, that must not cost the others their time.
      Optional<List<HeldRow>> held =
          LockSession.unlessLocked(() -> session.mapper().renewParts(locks, Micros.of(lease)));
      held.ifPresent(done -> session.ended());
      return held.orElse(List.of());
    });
    Map<HoldId, HeldRow> held = new HashMap<>();
    rows.forEach(row -> held.put(row.id(), row));
    return held;
  }

  private static List<LockParts> byLock(Collection<KnownEntry> places) {
    Map<LockKey, List<KnownEntry>> locks = places.stream()
        .collect(Collectors.groupingBy(
            KnownEntry::at, () -> new TreeMap<>(LockKey.IN_ORDER), Collectors.toList()));
    return locks.entrySet().stream()
        .map(lock -> new LockParts(lock.getKey(), lock.getValue()))
        .toList();
  }
}
