package dev.interlock.mysql.internal.backend;

import dev.interlock.mysql.internal.grants.Entries;
import dev.interlock.mysql.internal.grants.GrantListener;
import dev.interlock.mysql.internal.queue.Entry;
import dev.interlock.mysql.internal.queue.LocalClient;
import dev.interlock.mysql.internal.statements.AcquireParameters;
import dev.interlock.mysql.internal.statements.LockKey;
import dev.interlock.mysql.internal.statements.LockMapper.HandedOver;
import dev.interlock.mysql.internal.statements.LockMapper.KnownEntry;
import dev.interlock.mysql.internal.statements.LockMapper.QueuedRow;
import dev.interlock.mysql.internal.statements.LockSession;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Release;
import dev.interlock.sql.support.Database;
import dev.interlock.sql.support.Hint;
import dev.interlock.sql.support.Recent;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What can be done in one packet, when a lock is as it most often is. Thread-safe. */
final class FastPath {
  private final Database<LockSession> database;
  private final LocalClient me;
  private final Entries entries;
  private final GrantListener grantListener;
  private final HandOver handOver;
  private final String namespace;

  // Only hints, so bounded. Holds that came out of a queue: they have an entry there.
  private final Set<HoldId> crowded = Recent.set();

  // Locks that were held when somebody asked, those that others awaited at their release, and those
  // with a queue that only a transaction could look at.
  private final Hint held = new Hint();
  private final Hint awaited = new Hint();
  private final Hint unusual = new Hint();

  // Locks that had a row when this client last saw them.
  private final Set<String> present = Recent.set();

  FastPath(
      Database<LockSession> database,
      LocalClient me,
      Entries entries,
      GrantListener grantListener,
      HandOver handOver,
      String namespace) {
    this.database = database;
    this.me = me;
    this.entries = entries;
    this.grantListener = grantListener;
    this.handOver = handOver;
    this.namespace = namespace;
  }

  /**
   * Takes a lock that is free and not awaited, or else joins the queue of one that is held; first
   * what did lately. Does not try the second with a lock that is likely to have no row at all, such
   * as one with a name that is used only once.
   *
   * @param isAwaited whether the lock is known not to be free
   * @return null if it was not that simple, with nothing changed
   */
  @Nullable
  AttemptResult attempt(Attempt attempt, boolean isAwaited) {
    LockKey at = LockKey.of(namespace, attempt.name());
    boolean queues = attempt.waits()
        && !attempt.sharedOwner()
        && entries.get(attempt.id()) == null
        && hasRow(attempt.name());
    boolean queuesFirst = queues && (isAwaited || held.isLikely(attempt.name()));
    AttemptResult result = queuesFirst ? enqueue(at, attempt) : null;
    if (result == null && !isAwaited) {
      result = acquire(at, attempt);
    }
    return result == null && queues && !queuesFirst ? enqueue(at, attempt) : result;
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
      held.note(attempt.name(), false);
    }
    return known
        ? AttemptResult.granted(attempt, parameters.token).withTokens(attempt.tokens())
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
    entries.put(
        new KnownEntry(attempt.name(), at, Entry.WAITER, row.ticket, attempt.id(), false),
        Duration.ZERO);
    unlessServed(attempt.id());
    held.note(attempt.name(), true);
    return AttemptResult.queued(me.recheck(row.lockRemainingUs, parameters.listens));
  }

  /**
   * To be called once a waiter was noted that an answer told of: it may have been told of its grant
   * before that answer was here.
   */
  void unlessServed(HoldId id) {
    if (crowded.contains(id)) {
      entries.removeWaiter(id);
    }
  }

  /** Notes that a hold came out of a queue, and so has an entry there. */
  void cameFromQueue(HoldId id) {
    crowded.add(id);
  }

  /**
   * Gives a lock up that nobody awaits, or only others; false, with nothing changed, if it is not
   * that simple.
   */
  boolean release(Release release) {
    LockKey at = LockKey.of(namespace, release.name());
    boolean isAwaited = awaited.isLikely(release.name());
    if (!crowded.remove(release.id()) && !isAwaited) {
      if (database.run(what(release.name()), true, session -> {
        session.changes();
        return session.mapper().release(at, release.id()) == 1;
      })) {
        return true;
      }
      isAwaited = true;
    }
    if (unusual.isLikely(release.name())) {
      unusual.note(release.name(), false);
      return false;
    }
    HandedOver answer = handOver.run(what(release.name()), at, release.id(), isAwaited);
    unusual.note(release.name(), !answer.done);
    if (answer.done) {
      awaited.note(release.name(), answer.client != null);
    }
    return answer.done;
  }

  private static String what(String name) {
    return "lock '" + name + "'";
  }
}
