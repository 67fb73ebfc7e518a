package dev.interlock.redis.watch;

import static dev.interlock.redis.watch.CommandWords.word;

import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.jedis.Connections.Use;
import dev.interlock.redis.support.jedis.LockValue;
import dev.interlock.redis.support.jedis.WakeUps;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.HoldId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/**
 * Gets a lock if it is free.
 *
 * <p>First round trip: {@code WATCH} and {@code GETEX} of the lock, {@code PTTL}, {@code TIME}, the
 * bucket's last token. Second: {@code MULTI}, {@code SET} with the lease's end, {@code ZADD GT} of
 * the token, {@code EXEC}; or, if it is held, a note of the waiter, or {@code UNWATCH}.
 *
 * <p>The token is the server's time, or one more than the last one where that is larger. Whoever
 * holds the lock next begins to watch it after this transaction, and so reads a counter that has
 * this token: tokens grow, whatever the clock does. The counter is not watched, since holders of
 * other locks use it too; {@code GT} keeps them from setting it back.
 *
 * <ul>
 *   <li>The client dies before {@code EXEC}: nothing was changed. Afterwards: the lock expires.
 *   <li>The reply is lost, or it runs twice: the value has the id, so the repetition finds its own
 *       hold, with the same token; the lease is made longer, never shorter.
 *   <li>{@code EXEC} runs late, in a server that was stopped: not if the lock changed since, and
 *       {@link FreeTransaction#abandon} changes it. Before that, the lock is held for nobody, but
 *       never longer than one lease after it was looked at, since the lease has an absolute end.
 *   <li>The slot is on its way to another server, which may not have the counter yet: a transaction
 *       of two keys of which one is missing is refused there ({@code TRYAGAIN}), so no token is
 *       drawn without the counter.
 * </ul>
 */
final class AcquireTransaction {
  private static final Logger LOG = System.getLogger(AcquireTransaction.class.getName());

  /**
   * What a lock of ours gets that lost its expiry, which only other software can do: longer than
   * any lease its holder may count on, because a holder that lives must not lose it.
   */
  private static final Duration REPAIRED = Duration.ofDays(1);

  /** How soon to look again after the lock changed in each of several looks. */
  private static final Duration AFTER_STORM = Duration.ofMillis(2);

  private static final long NEVER_EXPIRES = -1;

  private final Transactions transactions;
  private final ClientId client;
  private final WakeUps wakeUps;

  /** The attempts that may be noted on the server: they are removed from there with the grant. */
  private final Set<HoldId> noted = ConcurrentHashMap.newKeySet();

  AcquireTransaction(Transactions transactions, ClientId client, WakeUps wakeUps) {
    this.transactions = transactions;
    this.client = client;
    this.wakeUps = wakeUps;
  }

  AttemptResult attempt(LockKeys keys, Attempt attempt) {
    byte[] id = word(attempt.id());
    return transactions
        .<AttemptResult>attempt(Use.ATTEMPT, "acquire", keys, pipe -> once(pipe, keys, attempt, id))
        .orElseGet(() -> AttemptResult.busy(AFTER_STORM)); // others had it meanwhile
  }

  /** The attempt is over, or given up. */
  void forget(HoldId id) {
    noted.remove(id);
  }

  private @Nullable AttemptResult once(Pipe pipe, LockKeys keys, Attempt attempt, byte[] id) {
    Replies seen = pipe.send(Command.WATCH, keys.lock())
        .send(Command.GETEX, keys.lock())
        .send(Command.PTTL, keys.lock())
        .send(Command.TIME)
        .send(Command.ZSCORE, CommandWords.counter(keys), CommandWords.LAST)
        .flush();
    byte[] value = seen.bytes(1);
    long now = seen.micros(3);
    if (value == null) {
      long last = seen.isNull(4) ? 0 : seen.number(4);
      return grant(pipe, keys, attempt, id, now, Math.max(now, last + 1));
    }
    long left = seen.number(2);
    return CommandWords.isOf(value, id)
        ? again(pipe, keys, attempt, now, value, left)
        : busy(pipe, keys, attempt, id, now, value, left);
  }

  private @Nullable AttemptResult grant(
      Pipe pipe, LockKeys keys, Attempt attempt, byte[] id, long now, long token) {
    int tokens = attempt.tokens();
    boolean mayBeNoted = noted.contains(attempt.id());
    pipe.multi();
    pipe.send(
        Command.SET,
        keys.lock(),
        value(attempt, now, token),
        CommandWords.NX,
        CommandWords.PXAT,
        CommandWords.end(now, attempt.lease()));
    pipe.send(
        Command.ZADD,
        CommandWords.counter(keys),
        CommandWords.GT,
        word(token + tokens - 1),
        CommandWords.LAST);
    if (mayBeNoted) {
      WaitingList.forget(pipe, keys, id);
    }
    Replies done = pipe.exec();
    if (done == null || done.isNull(0)) {
      return null;
    }
    noted.remove(attempt.id());
    return AttemptResult.granted(attempt, token).withTokens(tokens);
  }

  /** This attempt has the lock already. */
  private @Nullable AttemptResult again(
      Pipe pipe, LockKeys keys, Attempt attempt, long now, byte[] value, long left) {
    if (left < attempt.lease().toMillis()) {
      pipe.multi();
      pipe.send(Command.PEXPIREAT, keys.lock(), CommandWords.end(now, attempt.lease()));
      if (pipe.exec() == null) {
        return null;
      }
    } else {
      pipe.unwatch();
    }
    noted.remove(attempt.id());
    return LockValue.parse(value)
        .map(own -> AttemptResult.granted(attempt, own.token()).withTokens(own.tokens()))
        .orElseThrow(() -> new IllegalStateException("a lock's value was changed"));
  }

  private @Nullable AttemptResult busy(
      Pipe pipe, LockKeys keys, Attempt attempt, byte[] id, long now, byte[] value, long left) {
    boolean repair = left == NEVER_EXPIRES && isToBeRepaired(keys, value);
    if (!attempt.waits() && !repair) {
      pipe.unwatch();
      return result(keys, attempt, left);
    }
    pipe.multi();
    if (repair) {
      pipe.send(Command.PEXPIREAT, keys.lock(), CommandWords.end(now, REPAIRED));
    }
    if (attempt.waits()) {
      boolean isNew = noted.add(attempt.id());
      WaitingList.note(pipe, keys, id, now, attempt.patience(), isNew);
    }
    return pipe.exec() == null ? null : result(keys, attempt, repair ? REPAIRED.toMillis() : left);
  }

  private AttemptResult result(LockKeys keys, Attempt attempt, long left) {
    // -2: it expired between two commands.
    long millis = left == NEVER_EXPIRES ? left : Math.max(0, left);
    return AttemptResult.busy(wakeUps.recheck(keys, millis, attempt.waits()));
  }

  private static boolean isToBeRepaired(LockKeys keys, byte[] value) {
    boolean ours = LockValue.parse(value).isPresent();
    LOG.log(
        Level.WARNING,
        "Lock '" + keys.name() + "' is held without an expiry, which other software must have "
            + (ours
                ? "removed; it expires in " + REPAIRED.toDays() + " day now"
                : "set; it stays so until that software or forceRelease removes it"));
    return ours;
  }

  private byte[] value(Attempt attempt, long now, long token) {
    Instant since = Instant.ofEpochSecond(now / 1_000_000, now % 1_000_000 * 1_000);
    return new LockValue(
            attempt.id(), token, attempt.tokens(), since, attempt.owner(), client.host())
        .encode();
  }
}
