package dev.interlock.mysql.internal.backend;

import dev.interlock.mysql.internal.connection.MysqlFaults;
import dev.interlock.mysql.internal.grants.GrantListener;
import dev.interlock.mysql.internal.grants.Waker;
import dev.interlock.mysql.internal.queue.Entry;
import dev.interlock.mysql.internal.queue.LocalClient;
import dev.interlock.mysql.internal.queue.LockRow;
import dev.interlock.mysql.internal.queue.Protocol;
import dev.interlock.mysql.internal.queue.Transition;
import dev.interlock.mysql.internal.statements.LockKey;
import dev.interlock.mysql.internal.statements.LockMapper;
import dev.interlock.mysql.internal.statements.LockMapper.Candidate;
import dev.interlock.mysql.internal.statements.LockMapper.CounterRow;
import dev.interlock.mysql.internal.statements.LockMapper.KnownEntry;
import dev.interlock.mysql.internal.statements.LockMapper.Sight;
import dev.interlock.mysql.internal.statements.LockSession;
import dev.interlock.mysql.internal.statements.Sweep;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.sql.support.Database;
import dev.interlock.sql.support.Micros;
import dev.interlock.sql.support.SqlCauses;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.ibatis.exceptions.PersistenceException;
import org.jspecify.annotations.Nullable;

/**
 * Runs operations on locks: one transaction each, in two packets. The first locks the row and reads
 * it and the head of the queue, the second writes, commits and wakes. Thread-safe.
 */
final class Transactions {
  // A run of heirs that have had the lock, and the next one.
  private static final int PAGE = 2 * (Protocol.HEIRS + 1);
  private static final int LONGEST_PAGE = 512;

  private final Database<LockSession> database;
  private final LocalClient me;
  private final String namespace;
  private final Waker waker;
  private final GrantListener.Granted granted;

  Transactions(
      Database<LockSession> database,
      LocalClient me,
      String namespace,
      Waker waker,
      GrantListener.Granted granted) {
    this.database = database;
    this.me = me;
    this.namespace = namespace;
    this.waker = waker;
    this.granted = granted;
  }

  /**
   * Does the operations in one transaction and ends each of them.
   *
   * @param hasRow whether the lock is likely to have a row, which only decides where to look first
   */
  void take(String name, List<Operation<?>> operations, boolean hasRow) {
    LockKey at = LockKey.of(namespace, name);
    boolean urgent = operations.stream().anyMatch(Operation::isUrgent);
    long begun = System.nanoTime();
    boolean[] absent = {operations.stream().anyMatch(Operation::needsRow) && !hasRow};
    Optional<Transition> taken = database.run(
        "lock '" + name + "'",
        urgent,
        session -> Optional.ofNullable(take(session, at, operations, absent)));
    Transition transition = taken.orElse(null);
    operations.forEach(operation -> succeed(operation, transition));
    if (transition != null) {
      tell(name, at, transition, begun);
    }
  }

  /**
   * Answers null if the lock has no row and needs none.
   *
   * @param absent whether it is likely to have none; keeps for a repetition that it had none
   */
  private @Nullable Transition take(
      LockSession session, LockKey at, List<Operation<?>> operations, boolean[] absent) {
    Transition done = absent[0] ? null : ordinary(session, at, operations);
    absent[0] |= done == null;
    while (done == null && operations.stream().anyMatch(Operation::needsRow)) {
      done = first(session, at, operations);
      if (done == null) {
        done = ordinary(session, at, operations); // waits for the row, which nobody else does
      }
    }
    return done;
  }

  /** Tells those of this client that have the lock since, unless an answer does. */
  private void tell(String name, LockKey at, Transition transition, long begun) {
    Grant unclaimed = transition.takeGrant(name);
    if (unclaimed != null) {
      granted.granted(unclaimed, null, begun);
    }
    for (Entry entry : transition.takeAdmitted()) {
      granted.granted(
          Grant.of(name, entry.id(), entry.token, Micros.toDuration(entry.leaseUs)),
          KnownEntry.of(name, at, entry),
          begun);
    }
  }

  private static <T> void succeed(Operation<T> operation, @Nullable Transition transition) {
    operation.succeed(
        transition == null ? operation.nothingThere() : operation.committed(transition));
  }

  /** Answers null, with the transaction ended, if the lock has no row. */
  private @Nullable Transition ordinary(
      LockSession session, LockKey at, List<Operation<?>> operations) {
    session.begins();
    List<List<?>> read = read(session, at, operations);
    if (read.get(0).isEmpty()) {
      session.mapper().rollBack();
      session.ended();
      return null;
    }
    long now = (Long) read.get(2).get(0);
    Transition transition =
        transition(session, at, (LockRow) read.get(0).get(0), read.get(1), now, asked(read, 3));
    play(transition, operations);
    if (transition.changes().isEmpty()) {
      session.mapper().rollBack();
      session.ended();
    } else {
      finish(session, transition, wakes -> write(session, at, transition, wakes));
    }
    return transition;
  }

  private static List<List<?>> read(
      LockSession session, LockKey at, List<Operation<?>> operations) {
    LockMapper mapper = session.mapper();
    List<HoldId> ids = Operation.allIds(operations);
    if (operations.stream().allMatch(Operation::passesOverLocked)) {
      return mapper.beginIfUnlocked(at, ids, PAGE, session.transaction());
    }
    return ids.isEmpty()
        ? mapper.beginTransaction(at, PAGE, session.transaction())
        : mapper.beginTransactionAsking(at, ids, PAGE, session.transaction());
  }

  private static void write(
      LockSession session, LockKey at, Transition transition, Set<Long> wakes) {
    LockMapper mapper = session.mapper();
    Long gone = transition.changes().onlyDeletion();
    if (gone != null && wakes.size() == 1) {
      mapper.finishHandOver(
          session.transaction(), at, gone, transition.row(), wakes.iterator().next());
    } else {
      mapper.finishTransaction(
          session.transaction(), at, transition.changes(), transition.row(), wakes);
    }
  }

  /** Answers null, with the transaction ended, if the lock has a row that somebody keeps locked. */
  private @Nullable Transition first(
      LockSession session, LockKey at, List<Operation<?>> operations) {
    session.begins();
    List<List<?>> read = session
        .mapper()
        .beginFirstTransaction(
            at, Operation.allIds(operations), PAGE, session.transaction(), Protocol.FORGOTTEN_US);
    if (read.get(0).isEmpty()) {
      // Somebody has emptied the table.
      session.mapper().rollBack();
      session.mapper().addCounter(at.bucket());
      read = session
          .mapper()
          .beginFirstTransaction(
              at, Operation.allIds(operations), PAGE, session.transaction(), Protocol.FORGOTTEN_US);
    }
    CounterRow counter = (CounterRow) read.get(0).get(0);
    boolean absent = read.get(1).isEmpty();
    Sight sight = (Sight) read.get(3).get(0);
    if (absent && sight.hasRow) {
      session.mapper().rollBack();
      session.ended();
      return null;
    }
    LockRow row = absent ? new LockRow() : (LockRow) read.get(1).get(0);
    row.lastToken = Math.max(row.lastToken, counter.lastToken);
    Transition transition = transition(session, at, row, read.get(2), sight.nowUs, asked(read, 5));
    play(transition, operations);
    Sweep sweep = new Sweep(counter, typed(read.get(4)));
    finish(session, transition, wakes -> {
      if (absent) {
        session
            .mapper()
            .finishFirstTransaction(
                session.transaction(), at, transition.changes(), transition.row(), sweep, wakes);
      } else {
        write(session, at, transition, wakes);
      }
    });
    try {
      tidyForgotten(session, at.bucket(), typed(read.get(4)));
    } catch (PersistenceException e) {
      session.spoil(); // what was asked for is done, and somebody else will tidy up
    }
    return transition;
  }

  /**
   * Holds that ran out, and a queue of dead, would stay if their lock was never used again. Not if
   * somebody keeps its row locked: this is not what the caller waits for.
   */
  private void tidyForgotten(LockSession session, int bucket, List<Candidate> rows) {
    rows.stream()
        .filter(row -> row.forgotten)
        .limit(Sweep.TIDIED)
        .forEach(row -> ordinary(
            session,
            LockKey.of(bucket, row.lockKey),
            List.of(new Operations.IfUnlocked<>(new Operations.Tidy(null)))));
  }

  private static List<Entry> asked(List<List<?>> read, int place) {
    return read.size() > place ? typed(read.get(place)) : List.of();
  }

  private Transition transition(
      LockSession session, LockKey at, LockRow row, List<?> queue, long now, List<Entry> asked) {
    List<Entry> entries = typed(queue);
    boolean whole = entries.size() < PAGE;
    if (!whole && entries.get(PAGE - 1).kind == Entry.SHARE) {
      entries = session.mapper().readShares(at); // more of them than fit
    }
    int[] page = {PAGE};
    return new Transition(row, entries, whole, asked, now, session.knownUs(), me, last -> {
      page[0] = Math.min(LONGEST_PAGE, page[0] * 4);
      return session.mapper().readOn(at, last, page[0]);
    });
  }

  private static void play(Transition transition, List<Operation<?>> operations) {
    operations.forEach(operation -> operation.giveUp(transition));
    transition.serve();
    operations.forEach(operation -> operation.take(transition));
    transition.summonFirst();
    transition.holders().settle();
  }

  /** How a transaction is written. */
  private interface Writing {
    void write(Set<Long> wakes);
  }

  private void finish(LockSession session, Transition transition, Writing writing) {
    Set<Long> wakes = transition.changes().wakes();
    wakes.removeIf(client -> !waker.reaches(client));
    session.changes();
    try {
      writing.write(wakes);
    } catch (PersistenceException e) {
      SQLException error = SqlCauses.first(e);
      if (error == null || !MysqlFaults.isUnheardWake(error)) {
        throw e;
      }
      // Committed. It will find out by its next re-check.
      if (wakes.size() > 1) {
        session.ended();
        wakes.forEach(client -> waker.wake(session, client)); // those behind it were not reached
      } else if (MysqlFaults.isRefusedWake(error)) {
        wakes.forEach(waker::refused);
      }
    }
    session.ended();
  }

  @SuppressWarnings("unchecked") // what the statement's result maps say
  private static <T> List<T> typed(List<?> rows) {
    return (List<T>) rows;
  }
}
