package dev.interlock.redis.watch;

import static dev.interlock.redis.watch.CommandWords.word;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.MailboxMessage;
import dev.interlock.spi.HoldId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/**
 * Who waits for a lock, on the server: one sorted set in the order of arrival, one with the moment
 * until which each waiter counts as alive. Adds commands to transactions of others.
 *
 * <p>Whoever frees a lock calls the first waiter in the same transaction, and sees in its answer
 * who is next: where the first one could not be reached, or somebody came while the lock was being
 * freed, the next one is called by a further transaction. If the client dies before that, or the
 * answer is lost, a waiter hears nothing and looks again by itself after a few seconds.
 */
final class WaitingList {
  private static final Logger LOG = System.getLogger(WaitingList.class.getName());
  private static final Duration LONGEST_NOTE = Duration.ofSeconds(10);
  private static final byte[] KEYS_LAST = word(LONGEST_NOTE.toMillis());
  private static final HoldId NOBODY = new HoldId(0, 0);
  private static final int CLIENT_LENGTH = 16;

  /** Who is called in one go; the others look again by themselves. */
  private static final int MOST_CALLS = 64;

  /** The answers of a call begin here, counted from the end of a transaction. */
  private static final int CALL_REPLIES = 6;

  private final KeyLayout layout;

  WaitingList(KeyLayout layout) {
    this.layout = layout;
  }

  /** Reads who is first. */
  static void look(Pipe pipe, LockKeys keys) {
    pipe.send(Command.ZRANGE, keys.waiting(), CommandWords.ZERO, CommandWords.ZERO);
  }

  /**
   * Notes a waiter. The first time, entries of clients that died are removed; later, the entry
   * keeps its place. Both keys expire once nobody has looked for as long as an entry can last.
   */
  static void note(
      Pipe pipe, LockKeys keys, byte[] id, long nowMicros, Duration patience, boolean isNew) {
    byte[] now = word(nowMicros);
    if (isNew) {
      pipe.send(Command.ZREMRANGEBYSCORE, keys.due(), CommandWords.LEAST, now);
      pipe.send(
          Command.ZINTERSTORE,
          keys.waiting(),
          CommandWords.TWO,
          keys.waiting(),
          keys.due(),
          CommandWords.WEIGHTS,
          CommandWords.ONE,
          CommandWords.ZERO);
    }
    Duration time = patience.compareTo(LONGEST_NOTE) < 0 ? patience : LONGEST_NOTE;
    pipe.send(Command.ZADD, keys.waiting(), CommandWords.NX, now, id);
    pipe.send(Command.ZADD, keys.due(), word(nowMicros + time.toNanos() / 1_000), id);
    pipe.send(Command.PEXPIRE, keys.waiting(), KEYS_LAST);
    pipe.send(Command.PEXPIRE, keys.due(), KEYS_LAST);
  }

  /** Removes a waiter. */
  static void forget(Pipe pipe, LockKeys keys, byte[] id) {
    pipe.send(Command.ZREM, keys.waiting(), id);
    pipe.send(Command.ZREM, keys.due(), id);
  }

  /**
   * Calls a waiter within a transaction that frees its lock; must be the last part of it.
   *
   * @param first from {@link #look}; null if nobody waited then
   */
  void call(Pipe pipe, LockKeys keys, byte @Nullable [] first) {
    if (first != null) {
      pipe.send(Command.TIME);
      pipe.send(Command.ZSCORE, keys.due(), first);
      forget(pipe, keys, first);
      publish(pipe, keys, first);
    }
    look(pipe, keys);
  }

  /** Goes on after {@link #call}, if it reached nobody. Never fails: the lock is free already. */
  void callOthers(Pipe pipe, LockKeys keys, byte @Nullable [] called, Replies replies) {
    byte[] head = called;
    Replies last = replies;
    try {
      for (int left = MOST_CALLS; left > 0; left--) {
        byte[] next = last.first(last.list().size() - 1);
        if (next == null || wasReached(head, last)) {
          return;
        }
        pipe.multi();
        call(pipe, keys, next);
        Replies more = pipe.exec();
        if (more == null) {
          return; // nothing is watched, so this does not happen
        }
        last = more;
        head = next;
      }
    } catch (RuntimeException e) {
      pipe.abandon();
      LOG.log(Level.DEBUG, "A waiter was not called; it will look again by itself", e);
    }
  }

  private static boolean wasReached(byte @Nullable [] called, Replies replies) {
    if (called == null) {
      return false;
    }
    int from = replies.list().size() - CALL_REPLIES;
    boolean alive = !replies.isNull(from + 1) && replies.number(from + 1) >= replies.micros(from);
    return alive && replies.number(from + 4) > 0;
  }

  private void publish(Pipe pipe, LockKeys keys, byte[] waiter) {
    HoldId id = parse(waiter);
    byte[] channel = layout.mailbox(id.toString().substring(0, CLIENT_LENGTH));
    pipe.send(Command.PUBLISH, channel, new MailboxMessage.Wake(keys.name(), id).encode());
  }

  private static HoldId parse(byte[] waiter) {
    try {
      return HoldId.parse(new String(waiter, ISO_8859_1));
    } catch (IllegalArgumentException e) {
      return NOBODY; // other software's; it is removed, and nobody is reached
    }
  }
}
