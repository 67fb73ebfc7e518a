package dev.interlock.mysql;

import dev.interlock.LockException;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.ibatis.exceptions.PersistenceException;
import org.jspecify.annotations.Nullable;

/**
 * Takes turns at locks: one transaction each, in two packets. The first locks the row and reads it
 * and the head of the queue, the second writes, commits and rings. Thread-safe.
 */
final class Turns {
  // A run of heirs that have had the lock, and the next one.
  private static final int PAGE = 2 * (Limits.HEIRS + 1);
  private static final int LONGEST_PAGE = 512;
  private static final long RING_AGAIN_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Database database;
  private final Myself me;
  private final String namespace;
  private final boolean canRing;
  private final Bell.Granted granted;

  // Clients of other accounts, whom the server does not let us ring, and until when not to try.
  private final ConcurrentHashMap<Long, Long> deaf = new ConcurrentHashMap<>();

  Turns(Database database, Myself me, String namespace, boolean canRing, Bell.Granted granted) {
    this.database = database;
    this.me = me;
    this.namespace = namespace;
    this.canRing = canRing;
    this.granted = granted;
  }

  /**
   * Does the steps in one transaction and ends each of them; throws nothing.
   *
   * @param hasRow whether the lock is likely to have a row, which only decides where to look first
   */
  void take(String name, List<Step<?>> steps, boolean hasRow) {
    Place at = Place.of(namespace, name);
    boolean urgent = steps.stream().anyMatch(Step::isUrgent);
    boolean needsRow = steps.stream().anyMatch(Step::needsRow);
    long begun = System.nanoTime();
    try {
      String what = "lock '" + name + "'";
      boolean[] absent = {needsRow && !hasRow};
      Optional<Turn> taken = database.run(what, urgent, session -> {
        Turn ordinary = absent[0] ? null : ordinary(session, at, steps);
        absent[0] |= ordinary == null;
        return ordinary == null && needsRow
            ? Optional.of(first(session, at, steps))
            : Optional.ofNullable(ordinary);
      });
      Turn turn = taken.orElse(null);
      steps.forEach(step -> succeed(step, turn));
      Grant unclaimed = turn == null ? null : turn.takeGrant(name);
      if (unclaimed != null) {
        granted.granted(unclaimed, begun);
      }
    } catch (LockException e) {
      steps.forEach(step -> step.fail(e));
    } catch (RuntimeException | Error e) {
      steps.forEach(step -> step.fail(new IllegalStateException("turn at lock " + name, e)));
    }
  }

  private static <T> void succeed(Step<T> step, @Nullable Turn turn) {
    step.succeed(turn == null ? step.nothingThere() : step.committed(turn));
  }

  /** Answers null, with the transaction ended, if the lock has no row. */
  private @Nullable Turn ordinary(Session session, Place at, List<Step<?>> steps) {
    session.begins();
    List<HoldId> ids = Step.allIds(steps);
    List<List<?>> read = ids.isEmpty()
        ? session.mapper().openTurn(at, PAGE, session.turn())
        : session.mapper().openTurnAsking(at, ids, PAGE, session.turn());
    if (read.get(0).isEmpty()) {
      session.mapper().rollBack();
      session.ended();
      return null;
    }
    Turn turn = turn(session, at, (LockRow) read.get(0).get(0), read.subList(1, 3), asked(read, 3));
    play(turn, steps);
    if (turn.changes().isEmpty()) {
      session.mapper().rollBack();
      session.ended();
    } else {
      finish(session, turn, rings -> write(session, at, turn, rings));
    }
    return turn;
  }

  private static void write(Session session, Place at, Turn turn, Set<Long> rings) {
    LockMapper mapper = session.mapper();
    Long gone = turn.changes().onlyDeletion();
    if (gone != null && rings.size() == 1) {
      mapper.finishHandOver(
          session.turn(), at, gone, turn.row(), rings.iterator().next());
    } else {
      mapper.finishTurn(session.turn(), at, turn.changes(), turn.row(), rings);
    }
  }

  private Turn first(Session session, Place at, List<Step<?>> steps) {
    session.begins();
    List<List<?>> read = session
        .mapper()
        .openFirstTurn(at, Step.allIds(steps), PAGE, session.turn(), Limits.FORGOTTEN_US);
    if (read.get(0).isEmpty()) {
      // Somebody has emptied the table.
      session.mapper().rollBack();
      session.mapper().addCounter(at.bucket());
      read = session
          .mapper()
          .openFirstTurn(at, Step.allIds(steps), PAGE, session.turn(), Limits.FORGOTTEN_US);
    }
    CounterRow counter = (CounterRow) read.get(0).get(0);
    boolean absent = read.get(1).isEmpty();
    LockRow row = absent ? new LockRow() : (LockRow) read.get(1).get(0);
    row.lastToken = Math.max(row.lastToken, counter.lastToken);
    Turn turn = turn(session, at, row, read.subList(2, 4), asked(read, 5));
    play(turn, steps);
    Sweep sweep = new Sweep(counter, typed(read.get(4)));
    finish(session, turn, rings -> {
      if (absent) {
        session
            .mapper()
            .finishFirstTurn(session.turn(), at, turn.changes(), turn.row(), sweep, rings);
      } else {
        write(session, at, turn, rings);
      }
    });
    try {
      tidyForgotten(session, at.bucket(), typed(read.get(4)));
    } catch (PersistenceException e) {
      session.spoil(); // what was asked for is done, and somebody else will tidy up
    }
    return turn;
  }

  /** A queue of which all are dead would stay for ever if its lock was never used again. */
  private void tidyForgotten(Session session, int bucket, List<Candidate> rows) {
    rows.stream()
        .filter(row -> row.forgotten)
        .findFirst()
        .ifPresent(
            row -> ordinary(session, Place.of(bucket, row.lockKey), List.of(new Steps.Tidy(null))));
  }

  private static List<Entry> asked(List<List<?>> read, int place) {
    return read.size() > place ? typed(read.get(place)) : List.of();
  }

  private Turn turn(Session session, Place at, LockRow row, List<List<?>> read, List<Entry> asked) {
    List<Entry> entries = typed(read.get(0));
    boolean whole = entries.size() < PAGE;
    if (!whole && entries.get(PAGE - 1).kind == Entry.SHARE) {
      entries = session.mapper().readShares(at); // more of them than fit
    }
    int[] page = {PAGE};
    long now = (Long) read.get(1).get(0);
    return new Turn(row, entries, whole, asked, now, session.graceUs(), me, last -> {
      page[0] = Math.min(LONGEST_PAGE, page[0] * 4);
      return session.mapper().readOn(at, last, page[0]);
    });
  }

  private static void play(Turn turn, List<Step<?>> steps) {
    steps.forEach(step -> step.giveUp(turn));
    turn.serve();
    steps.forEach(step -> step.take(turn));
  }

  /** How a turn is written. */
  private interface Writing {
    void write(Set<Long> rings);
  }

  private void finish(Session session, Turn turn, Writing writing) {
    Set<Long> rings = turn.changes().rings();
    rings.removeIf(client -> !canRing || isDeaf(client));
    session.changes();
    try {
      writing.write(rings);
    } catch (PersistenceException e) {
      SQLException error = Faults.find(e);
      if (error == null || !Faults.isUnheardRing(error)) {
        throw e;
      }
      // Committed. It will find out by its next re-check.
      if (Faults.isRefusedRing(error)) {
        rings.forEach(client -> deaf.put(client, System.nanoTime() + RING_AGAIN_NANOS));
      }
    }
    session.ended();
  }

  private boolean isDeaf(long client) {
    Long until = deaf.get(client);
    if (until != null && System.nanoTime() - until > 0) {
      deaf.remove(client);
      return false;
    }
    return until != null;
  }

  @SuppressWarnings("unchecked") // what the statement's result maps say
  private static <T> List<T> typed(List<?> rows) {
    return (List<T>) rows;
  }
}
