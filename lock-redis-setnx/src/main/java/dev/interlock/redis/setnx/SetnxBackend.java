package dev.interlock.redis.setnx;

import dev.interlock.CommonOptions;
import dev.interlock.HoldInfo;
import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.LockScan;
import dev.interlock.redis.support.LuaScript;
import dev.interlock.redis.support.Millis;
import dev.interlock.redis.support.RedisErrors;
import dev.interlock.redis.support.ScriptCall;
import dev.interlock.redis.support.jedis.Connections.Use;
import dev.interlock.redis.support.jedis.LockValue;
import dev.interlock.redis.support.jedis.OpeningCheck;
import dev.interlock.redis.support.jedis.ScannedServers;
import dev.interlock.redis.support.jedis.Servers;
import dev.interlock.redis.support.jedis.WakeUps;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.BatchBackend;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Turns the calls of the engine into scripts, and the answers of the scripts into results. */
final class SetnxBackend implements HandOffBackend, BatchBackend {
  /** How soon a waiter looks again when another one was called to a lock that is free. */
  private static final Duration WAIT_FOR_CALLED = Duration.ofMillis(100);

  /** How long the server keeps a note, unless the waiter looks again; note.lua knows it too. */
  private static final Duration LONGEST_NOTE = Duration.ofSeconds(10);

  private static final long BUSY = 0;
  private static final long GRANTED = 1;
  private static final long LEFT = 3;

  private final KeyLayout layout;
  private final ClientId client;
  private final Servers servers;
  private final ScriptRunner runner;
  private final WakeUps wakeUps;
  private final LockScan scan;
  private final String server;

  /**
   * The attempts that may be noted on the server. Only to choose the shorter script: an entry that
   * is missing costs a call for nobody, one too many a few microseconds.
   */
  private final Set<HoldId> noted = ConcurrentHashMap.newKeySet();

  SetnxBackend(LockConfig config, ClientId client, Servers servers) {
    this.layout = new KeyLayout(config.get(CommonOptions.NAMESPACE));
    this.client = client;
    this.servers = servers;
    Duration timeout = config.get(RedisSetnxOptions.TIMEOUT);
    this.runner = new ScriptRunner(servers, timeout);
    this.wakeUps = new WakeUps(RedisSetnxProvider.ID, layout, client, servers, timeout);
    this.scan = new LockScan(layout, new ScannedServers(servers, layout), this::inspect);
    this.server = OpeningCheck.check(servers, layout, client, config, this::mayRunScripts);
  }

  @Override
  public void subscribe(BackendEvents events) {
    wakeUps.subscribe(events);
  }

  @Override
  public AttemptResult attempt(Attempt attempt) {
    if (isPlain(attempt)) {
      Object answer = runner.run(Use.ATTEMPT, "acquire", tryOnce(attempt));
      if (answer instanceof Long token) {
        return AttemptResult.granted(attempt, token);
      }
      if (!attempt.waits() && number(list(answer), 0) == BUSY) {
        return busy(list(answer), attempt);
      }
    }
    return acquire(attempt);
  }

  private AttemptResult acquire(Attempt attempt) {
    if (attempt.waits()) {
      noted.add(attempt.id());
    }
    Object answer = runner.run(Use.ATTEMPT, "acquire", acquisitionOf(attempt));
    return Objects.requireNonNull(attempted(attempt, answer), "acquire.lua leaves nothing open");
  }

  /** Whether nothing but the lock itself is needed. */
  private boolean isPlain(Attempt attempt) {
    return attempt.tokens() == 1 && !noted.contains(attempt.id());
  }

  /** What acquire.lua or try.lua has answered; null if the latter has left it to the former. */
  @Nullable
  AttemptResult attempted(Attempt attempt, Object answer) {
    if (answer instanceof Long token) {
      return AttemptResult.granted(attempt, token);
    }
    List<?> parts = list(answer);
    if (number(parts, 0) == BUSY) {
      return busy(parts, attempt);
    }
    if (number(parts, 0) == LEFT) {
      return null;
    }
    noted.remove(attempt.id());
    return AttemptResult.granted(attempt, number(parts, 2)).withTokens((int) number(parts, 3));
  }

  @Override
  public Batch batch() {
    return new SetnxBatch(this, runner);
  }

  /** An attempt of a batch, as a script. */
  ScriptCall attemptOf(Attempt attempt) {
    return isPlain(attempt) ? tryOnce(attempt) : acquisitionOf(attempt);
  }

  /** The same with the script that knows what to do in all cases. */
  ScriptCall acquisitionOf(Attempt attempt) {
    return describe(onAllKeys(Scripts.ACQUIRE, layout.keys(attempt.name())), attempt);
  }

  /** A release of one that takes nobody along, as a script. */
  ScriptCall releaseOf(Release release) {
    return onWaiters(Scripts.RELEASE, layout.keys(release.name())).with(release.id());
  }

  /** A look, as a script. */
  ScriptCall inspectionOf(String name) {
    return inspection(layout.keys(name));
  }

  @Override
  public ReleaseResult release(Release release) {
    Attempt next = release.next();
    if (next != null) {
      return pass(release, next);
    }
    return released(runner.run(Use.HOLDER, "release", releaseOf(release)));
  }

  /** What release.lua has answered. */
  static ReleaseResult released(Object answer) {
    return isOne(answer) ? ReleaseResult.released() : ReleaseResult.notHeld();
  }

  /** Releases, and lets the next waiter of this client have the lock if nobody waits longer. */
  private ReleaseResult pass(Release release, Attempt next) {
    if (next.waits()) {
      noted.add(next.id());
    }
    LockKeys keys = layout.keys(release.name());
    ScriptCall call = describe(onAllKeys(Scripts.PASS, keys).with(release.id()), next);
    List<?> answer = list(runner.run(Use.HOLDER, "release", call));
    if (number(answer, 0) == 0) {
      return ReleaseResult.notHeld();
    }
    if (answer.size() == 2) {
      return ReleaseResult.released();
    }
    if (number(answer, 2) != GRANTED) {
      Duration soon = wakeUps.recheck(keys, WAIT_FOR_CALLED.toMillis(), next.waits());
      return ReleaseResult.released().withNext(AttemptResult.busy(soon));
    }
    noted.remove(next.id());
    Grant grant =
        AttemptResult.granted(next, number(answer, 3)).withTokens((int) number(answer, 4));
    return ReleaseResult.released().withGranted(grant);
  }

  @Override
  public void renew(List<Renewal> batch, RenewalAnswers answers) {
    List<ScriptCall> calls = batch.stream().map(this::renewalOf).toList();
    var unused = runner.runAll(Use.HOLDER, "renew", calls, (answer, place) -> {
      Renewal renewal = batch.get(place);
      answers.answer(
          renewal,
          answer instanceof LockException failure
              ? RenewalResult.failed(failure)
              : renewed(renewal, answer));
    });
  }

  /** A renewal, as a script. */
  ScriptCall renewalOf(Renewal renewal) {
    LockKeys keys = layout.keys(renewal.name());
    // While a slot is moved, two keys may be on two servers: so no second one without a need.
    ScriptCall call = renewal.minToken() == 0
        ? new ScriptCall(Scripts.RENEW).on(keys, keys.lock())
        : new ScriptCall(Scripts.RENEW).on(keys, keys.lock(), keys.token());
    return call.with(renewal.id()).with(Millis.roundedUp(renewal.lease())).with(renewal.minToken());
  }

  /** What renew.lua has answered. */
  static RenewalResult renewed(Renewal renewal, Object answer) {
    return answer instanceof List<?> held
        ? RenewalResult.held(renewal, number(held, 0)).withTokens((int) number(held, 1))
        : RenewalResult.gone();
  }

  @Override
  public void abandon(String name, HoldId id) {
    noted.remove(id);
    ScriptCall call = onWaiters(Scripts.ABANDON, layout.keys(name)).with(id);
    runner.run(Use.HOLDER, "abandon", call);
  }

  @Override
  public Optional<HoldInfo> inspect(String name) {
    return holder(name, runner.run(Use.HOLDER, "inspect", inspectionOf(name)));
  }

  @Override
  public Optional<HoldPage> list(HoldQuery query) {
    return Optional.of(scan.list(query));
  }

  private List<HoldInfo> inspect(List<LockKeys> locks) {
    List<ScriptCall> calls = locks.stream().map(SetnxBackend::inspection).toList();
    Map<Integer, Object> answers = new ConcurrentHashMap<>();
    var unused =
        runner.runAll(Use.HOLDER, "inspect", calls, (answer, place) -> answers.put(place, answer));
    List<HoldInfo> holds = new ArrayList<>();
    for (int i = 0; i < calls.size(); i++) {
      holder(locks.get(i).name(), Objects.requireNonNull(answers.get(i))).ifPresent(holds::add);
    }
    return holds;
  }

  /** Reads the answer of inspect.lua; one lock whose keys others use does no harm to a list. */
  static Optional<HoldInfo> holder(String name, Object answer) {
    if (answer instanceof LockException failure) {
      if (RedisErrors.isOfForeignKey(failure)) {
        return Optional.of(LockValue.describeForeign(name));
      }
      throw failure;
    }
    List<?> parts = list(answer);
    return parts.size() == 1
        ? Optional.empty()
        : Optional.of(LockValue.describeHold(
            name, (byte[]) parts.get(1), number(parts, 2), (int) number(parts, 3)));
  }

  @Override
  public boolean forceRelease(String name, long fencingToken) {
    ScriptCall call = onWaiters(Scripts.FORCE, layout.keys(name)).with(fencingToken);
    return isOne(runner.run(Use.HOLDER, "force the release of", call));
  }

  @Override
  public String server() {
    return server;
  }

  @Override
  public void close() {
    wakeUps.close();
    servers.close();
  }

  /** Runs a script that changes nothing, to learn the server's time and the user's rights. */
  private void mayRunScripts(LockKeys keys) {
    long sentAt = System.nanoTime();
    Object answer = runner.run(Use.HOLDER, "run scripts", inspection(keys));
    if (answer instanceof List<?> list && list.get(0) instanceof Long now) {
      servers.of(keys).server().clock().learn(sentAt, now);
    }
  }

  private AttemptResult busy(List<?> answer, Attempt attempt) {
    LockKeys keys = layout.keys(attempt.name());
    return AttemptResult.busy(wakeUps.recheck(keys, number(answer, 2), attempt.waits()));
  }

  private ScriptCall tryOnce(Attempt attempt) {
    LockKeys keys = layout.keys(attempt.name());
    return new ScriptCall(Scripts.TRY)
        .on(keys, keys.lock(), keys.token())
        .with(attempt.id())
        .with(Millis.roundedUp(attempt.lease()))
        .with(holder(attempt))
        .withDeadline();
  }

  private static ScriptCall inspection(LockKeys keys) {
    return new ScriptCall(Scripts.INSPECT).on(keys, keys.lock(), keys.due());
  }

  private static ScriptCall onAllKeys(LuaScript script, LockKeys keys) {
    return new ScriptCall(script).on(keys, keys.lock(), keys.token(), keys.waiting(), keys.due());
  }

  private static ScriptCall onWaiters(LuaScript script, LockKeys keys) {
    return new ScriptCall(script).on(keys, keys.lock(), keys.waiting(), keys.due());
  }

  /** Adds the arguments of an attempt, which are the same in acquire.lua and pass.lua. */
  private ScriptCall describe(ScriptCall call, Attempt attempt) {
    return call.with(attempt.id())
        .with(Millis.roundedUp(attempt.lease()))
        .with(attempt.tokens())
        .with(holder(attempt))
        .withDeadline()
        .with(noteMillis(attempt));
  }

  private byte[] holder(Attempt attempt) {
    return LockValue.describe(attempt.owner(), client.host());
  }

  /** An attempt that does not wait leaves no note: whoever called it would reach no waiter. */
  private static long noteMillis(Attempt attempt) {
    if (!attempt.waits()) {
      return 0;
    }
    Duration patience = attempt.patience();
    return patience.compareTo(LONGEST_NOTE) < 0
        ? Millis.roundedUp(patience)
        : LONGEST_NOTE.toMillis();
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
