package dev.interlock.redis.setnx;

import dev.interlock.CommonOptions;
import dev.interlock.HoldInfo;
import dev.interlock.LockConfig;
import dev.interlock.redis.setnx.Connections.Use;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.LockValue;
import dev.interlock.redis.support.LuaScript;
import dev.interlock.redis.support.Mailbox;
import dev.interlock.redis.support.ServerClock;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Turns the calls of the engine into scripts, and the answers of the scripts into results.
 *
 * <p>The mailbox is opened at once, on its own thread, and not when somebody first waits: a holder
 * hears of a forced release through it, and the first wait finds it ready.
 */
final class SetnxBackend implements LockBackend {
  /** A waiter looks again after this time, whatever it was told. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(3);

  /** The same while no wake-up can arrive. */
  private static final Duration WAIT_WITHOUT_MAILBOX = Duration.ofMillis(200);

  /** How soon a waiter looks again when another one was called to a lock that is free. */
  private static final Duration WAIT_FOR_CALLED = Duration.ofMillis(100);

  /** How long the server keeps a note, unless the waiter looks again; note.lua knows it too. */
  private static final Duration LONGEST_NOTE = Duration.ofSeconds(10);

  private static final Duration NO_EXPIRY = Duration.ofDays(36_500);
  private static final long BUSY = 0;
  private static final long GRANTED = 1;

  private final KeyLayout layout;
  private final ClientId client;
  private final Connections connections;
  private final ScriptRunner runner;
  private final Duration timeout;
  private final String server;

  /**
   * The attempts that may be noted on the server. Only to choose the shorter script: an entry that
   * is missing costs a call for nobody, one too many a few microseconds.
   */
  private final Set<HoldId> noted = ConcurrentHashMap.newKeySet();

  private volatile @Nullable Mailbox mailbox;

  private SetnxBackend(
      LockConfig config, ClientId client, Connections connections, ServerClock clock) {
    this.layout = new KeyLayout(config.get(CommonOptions.NAMESPACE));
    this.client = client;
    this.connections = connections;
    this.timeout = config.get(RedisSetnxOptions.TIMEOUT);
    this.runner = new ScriptRunner(connections, clock, timeout);
    this.server = new OpeningCheck(runner, layout, clock).check(client, connections.address());
  }

  /** Speaks to the server, and closes the connections if that fails. */
  static SetnxBackend open(LockConfig config, ClientId client, Connections connections) {
    try {
      return new SetnxBackend(config, client, connections, new ServerClock());
    } catch (RuntimeException e) {
      connections.close();
      throw e;
    }
  }

  @Override
  public void subscribe(BackendEvents events) {
    mailbox = Mailbox.open(
        "interlock-redis-setnx-mailbox-" + client.id(),
        layout.mailbox(client.id()),
        () -> new JedisMailboxLink(connections.openListener()),
        events,
        timeout);
  }

  @Override
  public AttemptResult attempt(Attempt attempt) {
    LockKeys keys = layout.keys(attempt.name());
    if (attempt.tokens() == 1 && !noted.contains(attempt.id())) {
      Object answer = runner.run(Use.ATTEMPT, "acquire", attempt.name(), tryOnce(keys, attempt));
      if (answer instanceof Long token) {
        return new AttemptResult.Granted(token, 1);
      }
      if (!attempt.waits() && number(list(answer), 0) == BUSY) {
        return busy(list(answer), attempt);
      }
    }
    return acquire(keys, attempt);
  }

  private AttemptResult acquire(LockKeys keys, Attempt attempt) {
    if (attempt.waits()) {
      noted.add(attempt.id());
    }
    ScriptCall call = describe(onAllKeys(Scripts.ACQUIRE, 6, keys), attempt);
    List<?> answer = list(runner.run(Use.ATTEMPT, "acquire", attempt.name(), call));
    if (number(answer, 0) == BUSY) {
      return busy(answer, attempt);
    }
    noted.remove(attempt.id());
    return new AttemptResult.Granted(number(answer, 2), (int) number(answer, 3));
  }

  @Override
  public ReleaseResult release(Release release) {
    Attempt next = release.next();
    if (next != null) {
      return pass(release, next);
    }
    ScriptCall call = onWaiters(Scripts.RELEASE, 1, release.name()).with(release.id());
    boolean held = isOne(runner.run(Use.HOLDER, "release", release.name(), call));
    return held ? ReleaseResult.RELEASED : ReleaseResult.NOT_HELD;
  }

  /** Releases, and lets the next waiter of this client have the lock if nobody waits longer. */
  private ReleaseResult pass(Release release, Attempt next) {
    noted.add(next.id());
    LockKeys keys = layout.keys(release.name());
    ScriptCall call = describe(onAllKeys(Scripts.PASS, 7, keys).with(release.id()), next);
    List<?> answer = list(runner.run(Use.HOLDER, "release", release.name(), call));
    boolean held = number(answer, 0) != 0;
    if (answer.size() == 2) {
      return held ? ReleaseResult.RELEASED : ReleaseResult.NOT_HELD;
    }
    if (number(answer, 2) != GRANTED) {
      Duration soon = recheck(WAIT_FOR_CALLED.toMillis(), next.waits());
      return new ReleaseResult(true, null, new AttemptResult.Busy(soon));
    }
    noted.remove(next.id());
    Duration lease = held ? next.lease() : Duration.ofMillis(Math.max(0, number(answer, 5)));
    Grant grant =
        new Grant(next.name(), next.id(), number(answer, 3), (int) number(answer, 4), lease);
    return new ReleaseResult(held, grant, null);
  }

  @Override
  public List<RenewalResult> renew(List<Renewal> batch) {
    List<ScriptCall> calls = new ArrayList<>(batch.size());
    for (Renewal renewal : batch) {
      calls.add(ScriptCall.of(Scripts.RENEW, 2, layout.keys(renewal.name()).lock())
          .with(renewal.id())
          .with(millis(renewal.lease())));
    }
    List<Object> answers = runner.runAll("renew", batch.get(0).name(), calls);
    List<RenewalResult> results = new ArrayList<>(answers.size());
    for (Object answer : answers) {
      results.add(
          answer instanceof List<?> held
              ? new RenewalResult.Held(number(held, 0), (int) number(held, 1))
              : new RenewalResult.Gone());
    }
    return results;
  }

  @Override
  public void abandon(String name, HoldId id) {
    noted.remove(id);
    runner.run(Use.HOLDER, "abandon", name, onWaiters(Scripts.ABANDON, 1, name).with(id));
  }

  @Override
  public Optional<HoldInfo> inspect(String name) {
    LockKeys keys = layout.keys(name);
    ScriptCall call = ScriptCall.of(Scripts.INSPECT, 0, keys.lock(), keys.due());
    List<?> answer = list(runner.run(Use.HOLDER, "inspect", name, call));
    return answer.size() == 1 ? Optional.empty() : Optional.of(info(name, answer));
  }

  @Override
  public boolean forceRelease(String name) {
    return isOne(
        runner.run(Use.HOLDER, "force the release of", name, onWaiters(Scripts.FORCE, 0, name)));
  }

  @Override
  public String server() {
    return server;
  }

  @Override
  public void close() {
    Mailbox open = mailbox;
    if (open != null) {
      open.close();
    }
    connections.close();
  }

  private AttemptResult busy(List<?> answer, Attempt attempt) {
    return new AttemptResult.Busy(recheck(number(answer, 2), attempt.waits()));
  }

  private ScriptCall tryOnce(LockKeys keys, Attempt attempt) {
    return ScriptCall.of(Scripts.TRY, 4, keys.lock(), keys.token())
        .with(attempt.id())
        .with(millis(attempt.lease()))
        .with(holder(attempt))
        .withDeadline();
  }

  private static ScriptCall onAllKeys(LuaScript script, int arguments, LockKeys keys) {
    return ScriptCall.of(script, arguments, keys.lock(), keys.token(), keys.waiting(), keys.due());
  }

  private ScriptCall onWaiters(LuaScript script, int arguments, String name) {
    LockKeys keys = layout.keys(name);
    return ScriptCall.of(script, arguments, keys.lock(), keys.waiting(), keys.due());
  }

  /** Adds the arguments of an attempt, which are the same in acquire.lua and pass.lua. */
  private ScriptCall describe(ScriptCall call, Attempt attempt) {
    return call.with(attempt.id())
        .with(millis(attempt.lease()))
        .with(attempt.tokens())
        .with(holder(attempt))
        .withDeadline()
        .with(noteMillis(attempt));
  }

  private byte[] holder(Attempt attempt) {
    return LockValue.describe(attempt.owner(), client.host());
  }

  private static long noteMillis(Attempt attempt) {
    Duration patience = attempt.patience();
    return patience.compareTo(LONGEST_NOTE) < 0 ? millis(patience) : LONGEST_NOTE.toMillis();
  }

  private Duration recheck(long millisLeft, boolean waits) {
    Duration longest = waits && !isListening() ? WAIT_WITHOUT_MAILBOX : LONGEST_WAIT;
    // Redis expires a key once its last millisecond has passed, not before.
    boolean expiresSooner = millisLeft >= 0 && millisLeft < longest.toMillis();
    return expiresSooner ? Duration.ofMillis(millisLeft + 1) : longest;
  }

  private boolean isListening() {
    Mailbox open = mailbox;
    if (open == null) {
      return false;
    }
    open.check();
    return open.isListening();
  }

  private static HoldInfo info(String name, List<?> answer) {
    long left = number(answer, 2);
    Duration remaining = left < 0 ? NO_EXPIRY : Duration.ofMillis(left);
    int waiters = (int) number(answer, 3);
    byte[] bytes = (byte[]) answer.get(1);
    return LockValue.parse(bytes)
        .map(value -> new HoldInfo(
            name, value.owner(), value.host(), value.since(), remaining, value.token(), waiters))
        .orElseGet(() -> new HoldInfo(
            name, "unknown: set by other software", "", Instant.EPOCH, remaining, 0, waiters));
  }

  /** Rounded up, so that the server never ends a lease before the client does. */
  private static long millis(Duration duration) {
    long millis = duration.toMillis();
    return duration.minusMillis(millis).isZero() ? millis : millis + 1;
  }

  private static boolean isOne(Object answer) {
    return answer instanceof Long number && number == 1;
  }

  private static List<?> list(Object answer) {
    if (answer instanceof List<?> parts) {
      return parts;
    }
    throw new IllegalStateException("unexpected answer of a script: " + answer);
  }

  private static long number(List<?> answer, int index) {
    if (answer.get(index) instanceof Long number) {
      return number;
    }
    throw new IllegalStateException("unexpected answer of a script: " + answer);
  }
}
