package dev.interlock.mysql.internal.backend;

import dev.interlock.OutcomeUnknownException;
import dev.interlock.mysql.internal.connection.MysqlFaults;
import dev.interlock.mysql.internal.grants.Waker;
import dev.interlock.mysql.internal.statements.LockKey;
import dev.interlock.mysql.internal.statements.LockMapper;
import dev.interlock.mysql.internal.statements.LockMapper.HandedOver;
import dev.interlock.mysql.internal.statements.LockSession;
import dev.interlock.spi.HoldId;
import dev.interlock.sql.support.Database;
import dev.interlock.sql.support.SqlCauses;
import java.sql.SQLException;
import org.apache.ibatis.exceptions.PersistenceException;
import org.jspecify.annotations.Nullable;

/** Gives up a lock that others may wait for, and grants it to the first of them. Thread-safe. */
final class HandOver {
  private final Database<LockSession> database;
  private final Waker waker;
  private final boolean keepsText;
  private final String text;

  /**
   * Sends nothing yet.
   *
   * @param keepsText whether sessions are this client's own, and their server takes a packet for
   *     one statement, so that each of them may keep its text
   */
  HandOver(Database<LockSession> database, Waker waker, boolean keepsText) {
    this.database = database;
    this.waker = waker;
    this.keepsText = keepsText;
    this.text = database
        .configuration()
        .getMappedStatement(LockMapper.class.getName() + ".handOverWaking")
        .getBoundSql(null)
        .getSql();
  }

  /**
   * Does it in one packet, or changes nothing.
   *
   * @param what the operation, for messages
   * @param isAwaited whether somebody is likely to wait, who is then woken by the same packet
   */
  HandedOver run(String what, LockKey at, HoldId id, boolean isAwaited) {
    return database.run(what, true, session -> {
      boolean wakes = isAwaited && waker.reachesAll();
      session.begins();
      session.changes();
      HandedOver answer;
      try {
        answer = wakes
            ? waking(session, at, id)
            : session.mapper().handOver(at, id, session.transaction());
        session.ended();
      } catch (PersistenceException e) {
        SQLException error = SqlCauses.first(e);
        if (error == null || !MysqlFaults.isUnheardWake(error)) {
          throw e;
        }
        // All was done but for the wake-up, which reached nobody.
        answer = asked(what, session);
        session.ended();
        if (answer != null && answer.client != null && MysqlFaults.isRefusedWake(error)) {
          waker.refused(answer.client);
        }
      }
      if (answer == null) { // a driver with several servers has sent the question elsewhere
        throw new OutcomeUnknownException(what + ": the answer to its release is not known");
      }
      if (answer.client != null && !wakes && waker.reaches(answer.client)) {
        waker.wake(session, answer.client);
      }
      return answer;
    });
  }

  /** What was done stays done, whatever the server says to this question. */
  private static @Nullable HandedOver asked(String what, LockSession session) {
    try {
      return session.mapper().handedOver(session.transaction());
    } catch (PersistenceException e) {
      throw new OutcomeUnknownException(what + ": the answer to its release is not known", e);
    }
  }

  private @Nullable HandedOver waking(LockSession session, LockKey at, HoldId id) {
    LockMapper mapper = session.mapper();
    if (keepsText) {
      try {
        return mapper.executeHandOver(at, id, session.transaction());
      } catch (PersistenceException e) {
        SQLException error = SqlCauses.first(e);
        if (error == null || !MysqlFaults.isUnknownStatement(error)) {
          throw e;
        }
      }
      if (isKept(mapper)) {
        return mapper.executeHandOver(at, id, session.transaction());
      }
    }
    return mapper.handOverWaking(at, id, session.transaction());
  }

  /** Not if the server keeps too many statements already; another fault meets what is sent next. */
  private boolean isKept(LockMapper mapper) {
    try {
      mapper.prepareHandOver(text);
      return true;
    } catch (PersistenceException e) {
      return false;
    }
  }
}
