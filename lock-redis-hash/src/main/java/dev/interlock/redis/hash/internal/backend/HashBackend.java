package dev.interlock.redis.hash.internal.backend;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.CommonOptions;
import dev.interlock.HoldInfo;
import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.redis.hash.internal.backend.PiggybackedAttempts.PiggybackedAttempt;
import dev.interlock.redis.hash.internal.connection.Connections;
import dev.interlock.redis.hash.internal.connection.SharedConnection;
import dev.interlock.redis.hash.internal.push.Listeners;
import dev.interlock.redis.hash.internal.push.PushMailbox;
import dev.interlock.redis.hash.internal.script.Answer;
import dev.interlock.redis.hash.internal.script.Clocks;
import dev.interlock.redis.hash.internal.script.ReplicaWait;
import dev.interlock.redis.hash.internal.script.ScriptRunner;
import dev.interlock.redis.hash.internal.script.Scripts;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LuaScript;
import dev.interlock.redis.support.Millis;
import dev.interlock.redis.support.RedisOptions;
import dev.interlock.redis.support.ReplicatedGrants;
import dev.interlock.redis.support.ScriptCall;
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
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.spi.WaiterInfo;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns the calls of the engine into scripts, and the answers of the scripts into results.
 *
 * <p>Two connections carry the commands of all threads: one what frees or keeps locks and a few
 * attempts, the other the attempts of a crowd, so that these never delay a release.
 */
public final class HashBackend implements HandOffBackend, BatchBackend {
  private static final Logger LOG = System.getLogger(HashBackend.class.getName());

  /**
   * This many attempts may be on their way before releases: commands on one connection share their
   * way through the operating systems of both sides.
   */
  private static final int FEW_ATTEMPTS = 32;

  private final KeyLayout layout;
  private final ClientId client;
  private final Connections connections;
  private final byte[] mailboxPrefix;
  private final byte[] host;
  private final PiggybackedAttempts riders = new PiggybackedAttempts();
  private final AtomicInteger attemptsUnderWay = new AtomicInteger();
  private final Clocks clocks;
  private final ScriptRunner attempts;
  private final ScriptRunner holders;
  private final Renewer renewer;
  private final Inspection inspection;
  private final Listeners listeners;
  private final String server;
  private volatile @Nullable PushMailbox mailbox;

  private HashBackend(LockConfig config, ClientId client, Connections connections) {
    this.layout = new KeyLayout(config.get(CommonOptions.NAMESPACE));
    this.client = client;
    this.connections = connections;
    this.mailboxPrefix = layout.mailboxPrefix();
    this.host = client.host().getBytes(UTF_8);
    Duration timeout = config.get(RedisOptions.TIMEOUT);
    this.clocks = new Clocks(connections.isCluster());
    SharedConnection first = connections.open();
    this.holders = new ScriptRunner(first, connections, clocks, timeout);
    this.renewer = new Renewer(holders, layout, connections);
    this.inspection = new Inspection(first, holders, layout, connections, timeout);
    this.server = OpeningCheck.check(first, holders, layout, client.id(), connections, config);
    this.attempts = new ScriptRunner(connections.open(), connections, clocks, timeout);
    this.listeners = connections.openListeners();
  }

  /** Speaks to the server, and closes the connections if that fails. */
  public static LockBackend open(LockConfig config, ClientId client, Connections connections) {
    try {
      HashBackend backend = new HashBackend(config, client, connections);
      int replicas = config.get(RedisOptions.REPLICAS);
      return replicas == 0
          ? backend
          : new ReplicatedGrants(
              backend,
              replicas,
              ReplicaWait.open(connections.open(), config, backend.layout, connections));
    } catch (RuntimeException | Error e) { // such as no memory for a thread
      try {
        connections.close();
      } catch (RuntimeException closing) {
        e.addSuppressed(closing);
      }
      throw e;
    }
  }

  @Override
  public void subscribe(BackendEvents events) {
    mailbox = PushMailbox.open(
        listeners,
        layout.mailbox(client.id()),
        name -> clocks.of(layout.keys(name)).sendTimes(),
        events);
  }

  @Override
  public AttemptResult attempt(Attempt attempt) {
    PiggybackedAttempt rider = riders.ride(attempt);
    AttemptResult result = rider == null ? null : rider.result();
    if (result == null) {
      result = send(attempt, rider != null);
    }
    if (result instanceof AttemptResult.Queued) {
      riders.queued(attempt.name(), attempt.id(), attempt.lease());
      checkMailbox();
    } else if (result instanceof Grant) {
      riders.ended(attempt.name(), attempt.id());
    }
    return result;
  }

  /**
   * Repeats it while the server has not got past the dead waiters that stand before it.
   *
   * @param queued whether it may stand in the queue by now: then a refusal does not mean that it
   *     has left nothing behind
   */
  private AttemptResult send(Attempt attempt, boolean queued) {
    boolean mayStand = queued;
    while (true) {
      AttemptResult result;
      try {
        result = Outcomes.ofOnly(attempt, send(attempt, call(attempt)));
      } catch (LockException e) {
        throw mayStand ? Outcomes.stillUnknown(attempt, e) : e;
      }
      if (result != null) {
        return result;
      }
      mayStand = true;
    }
  }

  private ScriptCall call(Attempt attempt) {
    ScriptCall call = call(Scripts.ATTEMPT, attempt.name()).withDeadline();
    describe(call, attempt);
    return attempt.waits() ? call : call.patient();
  }

  @Override
  public Batch batch() {
    return new HashBatch(this, connections.isCluster());
  }

  /** Sends an attempt that does not wait, for its answer to be read by {@link #attempted}. */
  ScriptRunner.Sent begin(Attempt attempt) {
    return holders.send("acquire", attempt.name(), call(attempt));
  }

  /** What came of it; null if it was not made, or has to be made again to know. */
  @Nullable
  AttemptResult attempted(Attempt attempt, ScriptRunner.Sent sent) {
    Answer answer = sent.await();
    AttemptResult result = answer.isOver() ? null : Outcomes.ofOnly(attempt, answer);
    if (result instanceof Grant) {
      riders.ended(attempt.name(), attempt.id());
    }
    return result;
  }

  /** Sends a look, for its answer to be read by {@link Inspection#holder}. */
  ScriptRunner.Sent beginInspection(String name) {
    return inspection.send(layout.keys(name));
  }

  private Answer send(Attempt attempt, ScriptCall call) {
    boolean few = attemptsUnderWay.incrementAndGet() <= FEW_ATTEMPTS;
    try {
      return (few ? holders : attempts).run("acquire", attempt.name(), call);
    } finally {
      attemptsUnderWay.decrementAndGet();
    }
  }

  @Override
  public ReleaseResult release(Release release) {
    return begin(release).finish();
  }

  /** Sends a release. Whoever does so finishes it. */
  Departure begin(Release release) {
    riders.ended(release.name(), release.id());
    release.passed().forEach(id -> riders.ended(release.name(), id));
    return new Departure(release);
  }

  /** A release that is under way, and the attempts that it takes along. For one thread. */
  final class Departure {
    private final Release release;
    private final List<PiggybackedAttempt> taken;
    private final ScriptCall call;
    private final ScriptRunner.Sent sent;

    private Departure(Release release) {
      this.release = release;
      Attempt next = release.next();
      this.call = call(Scripts.RELEASE, release.name())
          .patient()
          .withDeadline()
          .with(release.id().toString())
          .with(next != null)
          .with(release.passed().size());
      release.passed().forEach(id -> call.with(id.toString()));
      if (next != null) {
        describe(call, next);
      }
      this.taken = riders.take(release.name());
      try {
        taken.forEach(rider -> describe(call, rider.attempt()));
        this.sent = holders.send("release", release.name(), call);
      } catch (RuntimeException | Error e) {
        taken.forEach(PiggybackedAttempt::fail);
        throw e;
      }
    }

    /** Waits for the answer. */
    ReleaseResult finish() {
      int arrived = 0;
      try {
        Answer answer = holders.answer("release", release.name(), call, sent);
        boolean held = answer.flag();
        Outcomes.requireKnown(held, answer, "release", release.name());
        boolean unfinished = answer.flag();
        ReleaseResult result = Outcomes.released(release, held, answer);
        Grant granted = result.granted();
        if (granted != null) {
          riders.ended(granted.name(), granted.id());
        }
        for (PiggybackedAttempt rider : taken) {
          rider.arrive(Outcomes.of(rider.attempt(), answer));
          arrived++;
        }
        if (unfinished) {
          serveOn(release.name(), release.id());
        }
        return result;
      } finally {
        taken.subList(arrived, taken.size()).forEach(PiggybackedAttempt::fail);
      }
    }
  }

  @Override
  public void renew(List<Renewal> batch, RenewalAnswers answers) {
    checkMailbox();
    renewer.renew(batch, (renewal, result) -> {
      riders.renewed(renewal, result);
      answers.answer(renewal, result);
    });
  }

  /** Sends a renewal, and returns what waits for the answer. */
  Supplier<RenewalResult> begin(Renewal renewal) {
    return renewer.send(renewal, riders::renewed);
  }

  @Override
  public void abandon(String name, HoldId id) {
    abandon(name, List.of(id));
  }

  @Override
  public void abandon(String name, List<HoldId> ids) {
    ids.forEach(id -> riders.ended(name, id));
    if (removed(name, ids)) {
      serveOn(name, ids.get(0));
    }
  }

  /** Answers whether waiters are left to be served. */
  private boolean removed(String name, List<HoldId> ids) {
    ScriptCall call = call(Scripts.ABANDON, name);
    ids.forEach(id -> call.with(id.toString()));
    return holders.run("abandon", name, call).flag();
  }

  /**
   * Has a free lock handed on, in as many steps as it takes to get past the dead waiters. If one of
   * them fails, a living waiter that looks again goes on.
   *
   * @param gone not on the server any more
   */
  private void serveOn(String name, HoldId gone) {
    boolean left = true;
    try {
      while (left) {
        left = removed(name, List.of(gone));
      }
    } catch (LockException e) {
      LOG.log(
          Level.DEBUG, "the waiters of lock '" + name + "' are left to one that looks again", e);
    }
  }

  @Override
  public Optional<HoldInfo> inspect(String name) {
    return inspection.inspect(layout.keys(name));
  }

  @Override
  public Optional<List<WaiterInfo>> waiters(String name, int limit) {
    return Optional.of(inspection.waiters(layout.keys(name), limit));
  }

  @Override
  public Optional<HoldPage> list(HoldQuery query) {
    return Optional.of(inspection.list(query));
  }

  @Override
  public boolean forceRelease(String name, long fencingToken) {
    Answer answer = holders.run(
        "force the release of",
        name,
        call(Scripts.FORCE, name).with(fencingToken).patient());
    boolean held = answer.flag();
    if (answer.flag()) {
      serveOn(name, new HoldId(0, 0));
    }
    Outcomes.requireKnown(held, answer, "forced release", name);
    return held;
  }

  @Override
  public String server() {
    return server;
  }

  /** How many waiters this client keeps in mind. */
  int knownWaiters() {
    return riders.known();
  }

  @Override
  public void close() {
    PushMailbox open = mailbox;
    if (open != null) {
      open.close();
    }
    connections.close();
  }

  private void checkMailbox() {
    PushMailbox open = mailbox;
    if (open != null) {
      open.check();
    }
  }

  private ScriptCall call(LuaScript script, String name) {
    return new ScriptCall(script).on(layout.keys(name)).with(mailboxPrefix);
  }

  /** Adds the arguments that attempts.lua reads. */
  private void describe(ScriptCall call, Attempt attempt) {
    call.with(attempt.id().toString())
        .with(Millis.roundedUp(attempt.lease()))
        .with(attempt.tokens())
        .with(attempt.owner())
        .with(host)
        .with(attempt.sharedOwner())
        .with(Counted.argument(attempt))
        .with(attempt.waits());
  }
}
