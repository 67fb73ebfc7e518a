package dev.interlock.redis.watch;

import static dev.interlock.redis.watch.CommandWords.word;

import dev.interlock.BackendRefusedException;
import dev.interlock.BackendUnavailableException;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.MailboxMessage;
import dev.interlock.redis.support.RedisErrors;
import dev.interlock.redis.support.jedis.LockValue;
import dev.interlock.spi.HoldId;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Frees locks, in three ways.
 *
 * <p>First round trip: {@code WATCH} and {@code GETEX} of the lock, and who waits first. Second:
 * {@code MULTI}, {@code DEL}, the call of that waiter if there is one, {@code EXEC}; or
 * {@code UNWATCH} if there is nothing to do.
 *
 * <p>A server whose rights (ACL) were changed may refuse the call, and with it the transaction.
 * That must not keep the lock from being freed, so it is run once more without a call: who waits
 * looks again by itself.
 *
 * <ul>
 *   <li>The client dies before {@code EXEC}: the lock expires. Afterwards: it is free, and the
 *       waiter was called in the same step.
 *   <li>The reply is lost, it runs twice or late: what it frees is the very hold that it looked at,
 *       since the transaction is not run if the key has changed. A repetition finds another id or
 *       none.
 * </ul>
 */
final class FreeTransaction {
  private static final byte[] ABANDONED = word("abandoned");
  private static final String NO_RIGHT = "NOPERM";

  /** Where a look tells who waits first, behind the lock's value. */
  private static final int WAITERS = 2;

  /** Frees a lock. */
  @FunctionalInterface
  private interface Freeing {
    /**
     * Does it in one step.
     *
     * @param pipe to the server
     * @param mayPublish false to tell nobody
     * @return as for {@link Transactions.Step}
     */
    @Nullable
    Boolean run(Pipe pipe, boolean mayPublish);
  }

  private final Transactions transactions;
  private final KeyLayout layout;
  private final WaitingList waiters;

  FreeTransaction(Transactions transactions, KeyLayout layout) {
    this.transactions = transactions;
    this.layout = layout;
    this.waiters = new WaitingList(layout);
  }

  /** Frees the lock if this hold has it, and tells whether it had. */
  boolean release(LockKeys keys, HoldId id) {
    byte[] own = word(id);
    return run("release", keys, (pipe, mayPublish) -> {
      Replies seen = look(pipe, keys);
      byte[] value = seen.bytes(1);
      if (value == null || !CommandWords.isOf(value, own)) {
        pipe.unwatch();
        return false;
      }
      pipe.multi().send(Command.DEL, keys.lock());
      return callAndEnd(pipe, keys, first(seen), mayCall(seen, mayPublish)) ? true : null;
    });
  }

  /**
   * Takes the lock from the hold that has this token, and tells the holder, who finds out when it
   * renews or releases if it cannot be told. A repetition spares a successor, which has another.
   * What other software has put in the lock's place has token 0, and is removed whatever type it
   * has. So is what it has put in place of the waiters.
   */
  boolean force(LockKeys keys, long token) {
    return run("force the release of", keys, (pipe, mayPublish) -> {
      Replies seen = ask(pipe, keys).flushEach();
      boolean readable = seen.refusal(1) == null;
      byte[] value = readable ? requireHere(pipe, keys, seen).bytes(1) : null;
      boolean found = readable ? value != null && LockValue.hasToken(value, token) : token == 0;
      if (!found) {
        pipe.unwatch();
        return false;
      }
      pipe.multi().send(Command.DEL, keys.lock());
      if (value != null && mayPublish) {
        LockValue.parse(value).ifPresent(holder -> revoke(pipe, keys, holder.id()));
      }
      if (seen.refusal(WAITERS) != null) {
        pipe.send(Command.DEL, keys.waiting());
      }
      return callAndEnd(pipe, keys, first(seen), mayCall(seen, mayPublish)) ? true : null;
    });
  }

  /**
   * Removes what an attempt left: its hold, its note. A transaction of this attempt may still be on
   * its way, on a connection that was closed, and may be run after this one. So a free lock is
   * changed, too: the lock's key is set and deleted, and what watches it is not run any more. A
   * lock that another holds needs no such change, since that holder's own {@code SET} came after
   * this attempt had found the lock free. At worst a late note is left, for ten seconds.
   *
   * <p>If the lock is free then, the next waiter is called: the one that is given up may have taken
   * a call with it.
   */
  void abandon(LockKeys keys, HoldId id) {
    byte[] own = word(id);
    run("abandon", keys, (pipe, mayPublish) -> {
      Replies seen = look(pipe, keys);
      byte[] value = seen.bytes(1);
      pipe.multi();
      if (seen.refusal(WAITERS) == null) {
        WaitingList.forget(pipe, keys, own);
      }
      if (value != null && !CommandWords.isOf(value, own)) {
        return pipe.exec() == null ? null : true;
      }
      if (value == null) {
        pipe.send(Command.SET, keys.lock(), ABANDONED, CommandWords.PX, CommandWords.ONE);
      }
      pipe.send(Command.DEL, keys.lock());
      byte[] first = first(seen);
      byte[] other = first != null && Arrays.equals(first, own) ? null : first;
      return callAndEnd(pipe, keys, other, mayCall(seen, mayPublish)) ? true : null;
    });
  }

  private boolean run(String action, LockKeys keys, Freeing freeing) {
    try {
      return transactions.run(action, keys, pipe -> freeing.run(pipe, true));
    } catch (BackendRefusedException e) {
      Throwable answer = e.getCause();
      if (answer == null
          || !RedisErrors.code(String.valueOf(answer.getMessage())).equals(NO_RIGHT)) {
        throw e;
      }
      // Nothing was changed. If it was no call that was refused, it is refused again.
      return transactions.run(action, keys, pipe -> freeing.run(pipe, false));
    }
  }

  private static Replies look(Pipe pipe, LockKeys keys) {
    Replies seen = ask(pipe, keys).flushEach();
    JedisDataException refusal = seen.refusal(1);
    if (refusal != null) {
      pipe.abandon();
      throw refusal;
    }
    return requireHere(pipe, keys, seen);
  }

  /** Who waits first; nobody where other software has put something else there. */
  private static byte @Nullable [] first(Replies seen) {
    return seen.refusal(WAITERS) == null ? seen.first(WAITERS) : null;
  }

  /** A transaction in which a command has the wrong type of key looks like a failed release. */
  private static boolean mayCall(Replies seen, boolean mayPublish) {
    return mayPublish && seen.refusal(WAITERS) == null;
  }

  private static Pipe ask(Pipe pipe, LockKeys keys) {
    pipe.send(Command.WATCH, keys.lock()).send(Command.GETEX, keys.lock());
    WaitingList.look(pipe, keys);
    return pipe;
  }

  /**
   * Refuses to take a lock for free that may not have arrived here yet; its value is the second.
   */
  static Replies requireHere(Pipe pipe, LockKeys keys, Replies seen) {
    if (seen.isNull(1) && pipe.isAsking()) {
      pipe.unwatch();
      // Another key of the lock may be on its way, and this one still where we came from.
      throw new BackendUnavailableException("Lock '" + keys.name()
          + "' is being moved from one Redis server to another: its keys are on both");
    }
    return seen;
  }

  private boolean callAndEnd(Pipe pipe, LockKeys keys, byte @Nullable [] first, boolean mayCall) {
    if (!mayCall) { // each refusal would cost a connection
      return pipe.exec() != null;
    }
    waiters.call(pipe, keys, first);
    Replies done = pipe.exec();
    if (done == null) {
      return false;
    }
    waiters.callOthers(pipe, keys, first, done);
    return true;
  }

  private void revoke(Pipe pipe, LockKeys keys, HoldId id) {
    byte[] channel = layout.mailbox(id.toString().substring(0, 16));
    pipe.send(Command.PUBLISH, channel, new MailboxMessage.Revoked(keys.name(), id).encode());
  }
}
