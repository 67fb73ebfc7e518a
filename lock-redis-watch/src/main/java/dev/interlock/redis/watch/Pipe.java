package dev.interlock.redis.watch;

import dev.interlock.OutcomeUnknownException;
import dev.interlock.redis.support.RedisErrors;
import dev.interlock.redis.support.jedis.Unanswered;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Sends several commands in one round trip, very many in several. Not thread-safe; lives as long as
 * one step.
 *
 * <p>A connection on which a step was refused is not used again: it may still watch a key, or be
 * within a transaction. Not so if a transaction was run and one of its commands failed: that has
 * ended both.
 */
final class Pipe {
  /** What a command is answered whose key other software uses. */
  private static final String WRONG = "WRONGTYPE";

  /** How many keys one {@code WATCH} names at most: they may be long, and it is written whole. */
  private static final int WATCHED_TOGETHER = 8;

  private final Connection connection;
  private final @Nullable BitSet announcements;
  private boolean inTransaction;
  private int sent;
  private Unanswered unanswered = new Unanswered();

  /** Answers to what was sent that had to be read before the rest. */
  private final List<Object> early = new ArrayList<>(0);

  /**
   * Begins a step.
   *
   * @param connection to the server that has the keys
   * @param asking whether the keys are on their way there; then {@code ASKING} goes before each
   *     command, and once before a transaction
   */
  Pipe(Connection connection, boolean asking) {
    this.connection = connection;
    this.announcements = asking ? new BitSet() : null;
  }

  /** Whether a key that is not there may be on the server that it comes from. */
  boolean isAsking() {
    return announcements != null;
  }

  Pipe send(Command command, byte[]... arguments) {
    if (unanswered.isMuch()) {
      early.addAll(connection.getMany(sent - early.size()));
      unanswered = new Unanswered();
    }
    if (announcements != null && !inTransaction) {
      connection.sendCommand(Command.ASKING);
      announcements.set(sent++);
    }
    unanswered.send(connection, new CommandArguments(command).addObjects((Object[]) arguments));
    sent++;
    return this;
  }

  /** Watches keys, with as many commands as it takes. */
  Pipe watch(List<byte[]> keys) {
    for (int from = 0; from < keys.size(); from += WATCHED_TOGETHER) {
      List<byte[]> together = keys.subList(from, Math.min(keys.size(), from + WATCHED_TOGETHER));
      send(Command.WATCH, together.toArray(byte[][]::new));
    }
    return this;
  }

  /** Waits for the answers to what was sent; throws the first refusal among them. */
  Replies flush() {
    return new Replies(throwFirst(read(), refusal -> true));
  }

  /**
   * The same for commands on several locks outside a transaction: what one of them is refused
   * because of its key is left among the answers, see {@link Replies#refusal}.
   */
  Replies flushEach() {
    return new Replies(throwFirst(
        read(),
        refusal -> !RedisErrors.code(String.valueOf(refusal.getMessage())).equals(WRONG)));
  }

  private List<Object> throwFirst(List<Object> replies, Predicate<JedisDataException> serious) {
    for (Object reply : replies) {
      if (reply instanceof JedisDataException refusal && serious.test(refusal)) {
        abandon();
        throw refusal;
      }
    }
    return replies;
  }

  /** Ends a step that has nothing to change, so that the connection watches nothing any more. */
  void unwatch() {
    send(Command.UNWATCH).flush();
  }

  Pipe multi() {
    send(Command.MULTI);
    inTransaction = true;
    return this;
  }

  /**
   * Ends the transaction.
   *
   * @return the answers to its commands; null if it was not run, because a watched key changed
   */
  @Nullable
  Replies exec() {
    List<Object> replies = send(Command.EXEC).read();
    if (replies.get(0) instanceof JedisDataException refusal) {
      abandon();
      // There was no transaction, so its commands may have run one by one.
      throw new OutcomeUnknownException("Redis refused a transaction: " + refusal.getMessage());
    }
    throwFirst(replies, refusal -> true);
    Object results = replies.get(replies.size() - 1);
    if (!(results instanceof List<?> list)) {
      return null;
    }
    for (Object result : list) {
      if (result instanceof JedisDataException refusal) {
        throw new OutcomeUnknownException(
            "A command within a transaction failed: " + refusal.getMessage());
      }
    }
    return new Replies(list);
  }

  /** Lets the connection not be used again. */
  void abandon() {
    connection.setBroken();
  }

  private List<Object> read() {
    int expected = sent;
    sent = 0;
    inTransaction = false; // nothing but QUEUED is read before its end
    List<Object> replies = connection.getMany(expected - early.size());
    if (!early.isEmpty()) {
      replies.addAll(0, early);
      early.clear();
    }
    unanswered = new Unanswered();
    return announcements == null ? replies : without(announcements, replies);
  }

  private static List<Object> without(BitSet announcements, List<Object> replies) {
    List<Object> others = new ArrayList<>(replies.size());
    for (int i = 0; i < replies.size(); i++) {
      if (!announcements.get(i)) {
        others.add(replies.get(i));
      }
    }
    announcements.clear();
    return others;
  }
}
