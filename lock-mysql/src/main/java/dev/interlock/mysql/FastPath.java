package dev.interlock.mysql;

import dev.interlock.mysql.LockMapper.KnownEntry;
import dev.interlock.mysql.LockMapper.QueuedRow;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Release;
import dev.interlock.sql.support.Recent;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What can be done in one packet, when a lock is as it most often is. Thread-safe. */
final class FastPath {
  private final Database database;
  private final LocalClient me;
  private final Entries entries;
  private final GrantListener grantListener;
  private final String namespace;

  // Only hints, so bounded. Holds that came out of a queue: others are likely to wait behind them.
  private final Set<HoldId> crowded = Recent.set();

  // Locks that had a row when this client last saw them.
  private final Set<String> present = Recent.set();

  FastPath(
      Database database,
      LocalClient me,
      Entries entries,
      GrantListener grantListener,
      String namespace) {
    this.database = database;
    this.me = me;
    this.entries = entries;
    this.grantListener = grantListener;
    this.namespace = namespace;
  }

  /**
   * Takes a lock that is free and not awaited, or else joins the queue of one that is held. Does
   * not try the second with a lock that is likely to have no row at all, such as one with a name
   * that is used only once.
   *
   * @param awaited whether the lock is known not to be free
   * @return null if it was not that simple, with nothing changed
   */
  @Nullable
  AttemptResult attempt(Attempt attempt, boolean awaited) {
    LockKey at = LockKey.of(namespace, attempt.name());
    AttemptResult granted = awaited ? null : acquire(at, attempt);
    boolean queues = attempt.waits()
        && !attempt.sharedOwner()
        && entries.get(attempt.id()) == null
        && hasRow(attempt.name());
    return granted == null && queues ? enqueue(at, attempt) : granted;
  }

  /** Whether a lock is likely to have a row. */
  boolean hasRow(String name) {
    return present.contains(name);
  }

  /** Notes that a lock has a row. */
  void sawRow(String name) {
    present.add(name);
  }

  private @Nullable AttemptResult acquire(LockKey at, Attempt attempt) {
    AcquireParameters parameters = new AcquireParameters(at, attempt, me);
    int taken = database.run(what(attempt.name()), false, session -> {
      session.changes();
      return session.mapper().acquire(parameters);
    });
    // A trigger on the table keeps the token out of the answer; a transaction finds the hold and
    // reads it.
    boolean known = taken == 1 && parameters.token > 0;
    if (known) {
      sawRow(attempt.name());
    }
    return known
        ? AttemptResult.granted(attempt, parameters.token).withTokens(parameters.tokens)
        : null;
  }

  private @Nullable AttemptResult enqueue(LockKey at, Attempt attempt) {
    grantListener.ensureListening();
    AcquireParameters parameters = new AcquireParameters(at, attempt, me);
    QueuedRow row = database.run(what(attempt.name()), false, session -> {
      session.begins();
      session.changes();
      QueuedRow answer = session.mapper().enqueue(parameters);
      session.ended();
      return answer == null ? new QueuedRow() : answer;
    });
    if (row.ticket == 0) {
      return null;
    }
    entries.put(new KnownEntry(attempt.name(), at, Entry.WAITER, row.ticket, attempt.id(), false));
    return AttemptResult.queued(me.recheck(row.lockRemainingUs, parameters.listens));
  }

  /** Notes that a hold came out of a queue, so that its release does not try the quick way. */
  void cameFromQueue(HoldId id) {
    crowded.add(id);
  }

  /** Gives a lock up that nobody awaits; false, with nothing changed, if it is not that simple. */
  boolean release(Release release) {
    if (crowded.remove(release.id())) {
      return false;
    }
    LockKey at = LockKey.of(namespace, release.name());
    return database.run(what(release.name()), true, session -> {
      session.changes();
      return session.mapper().release(at, release.id()) == 1;
    });
  }

  private static String what(String name) {
    return "lock '" + name + "'";
  }
}
