package dev.interlock.redis.watch;

import static dev.interlock.redis.watch.CommandWords.word;

import dev.interlock.HoldInfo;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.jedis.Connections.Use;
import dev.interlock.redis.support.jedis.LockValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/** Tells who holds locks. Changes nothing. */
final class Inspection {
  /** In place of the value of a key that has none, because it is of another type. */
  private static final byte[] UNREADABLE = {};

  /** Commands for each lock of many. */
  private static final int EACH = 4;

  private final Transactions transactions;

  Inspection(Transactions transactions) {
    this.transactions = transactions;
  }

  /** A transaction without a command: it tells whether all was read at one moment. */
  Optional<HoldInfo> inspect(LockKeys keys) {
    return transactions.run("inspect", keys, pipe -> {
      long now = pipe.send(Command.TIME).flush().micros(0);
      pipe.send(Command.WATCH, keys.lock())
          .send(Command.GET, keys.lock())
          .send(Command.PTTL, keys.lock())
          .send(Command.ZCOUNT, keys.due(), word(now), CommandWords.MOST)
          .multi()
          .send(Command.EXEC);
      Replies seen = FreeTransaction.requireHere(pipe, keys, pipe.flushEach());
      return seen.isNull(5) ? null : info(keys, seen, 1);
    });
  }

  /**
   * Tells of many locks, in two round trips for those of one group. Those that are free are left
   * out.
   *
   * <p>The value is read before the rest and behind it. A hold's id never comes back, so the rest
   * is of the hold whose value is there both times. A lock that changed in between is asked for
   * alone.
   */
  List<HoldInfo> inspect(List<LockKeys> locks) {
    Map<Integer, List<LockKeys>> groups = new LinkedHashMap<>();
    for (LockKeys keys : locks) {
      groups
          .computeIfAbsent(transactions.group(keys), group -> new ArrayList<>())
          .add(keys);
    }
    List<HoldInfo> holds = new ArrayList<>();
    for (List<LockKeys> group : groups.values()) {
      Replies seen = transactions
          .attempt(Use.HOLDER, "inspect", group.get(0), pipe -> look(pipe, group))
          .orElse(null);
      for (int i = 0; i < group.size(); i++) {
        LockKeys keys = group.get(i);
        Optional<HoldInfo> hold = seen != null && isOfOneHold(seen, i * EACH)
            ? info(keys, seen, i * EACH)
            : inspect(keys);
        hold.ifPresent(holds::add);
      }
    }
    return holds;
  }

  /** Nothing while these locks move to another server: some may be there, and others not yet. */
  private static @Nullable Replies look(Pipe pipe, List<LockKeys> group) {
    if (pipe.isAsking()) {
      return null;
    }
    long now = pipe.send(Command.TIME).flush().micros(0);
    for (LockKeys keys : group) {
      pipe.send(Command.GET, keys.lock())
          .send(Command.PTTL, keys.lock())
          .send(Command.ZCOUNT, keys.due(), word(now), CommandWords.MOST)
          .send(Command.GET, keys.lock());
    }
    return pipe.flushEach();
  }

  private static boolean isOfOneHold(Replies seen, int at) {
    return seen.refusal(at) == null
        && seen.refusal(at + 3) == null
        && Arrays.equals(seen.bytes(at), seen.bytes(at + 3));
  }

  /**
   * What the value, the time left, and the number of waiters say, which follow one another. Other
   * software may use any of the keys.
   */
  private static Optional<HoldInfo> info(LockKeys keys, Replies seen, int at) {
    byte[] value = seen.refusal(at) == null ? seen.bytes(at) : UNREADABLE;
    int waiters = seen.refusal(at + 2) == null ? (int) seen.number(at + 2) : 0;
    return value == null
        ? Optional.empty()
        : Optional.of(LockValue.describeHold(keys.name(), value, seen.number(at + 1), waiters));
  }
}
