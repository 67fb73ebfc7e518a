package dev.interlock.tck.teststore;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HoldInfo;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.WaiterInfo;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** The client of {@link StoreServer}. */
final class StoreBackend implements LockBackend {
  private static final long TOO_LONG = Duration.ofMillis(600).toNanos();
  private static final long TIMER_MILLIS = 300;
  private static final int MOST_TIMERS = 200;

  private final StoreConnections connections;
  private final Fault fault;
  private final Requests requests;
  private final SentLeases leases;
  private final StoreRenewals renewals;
  private final StoreInspection inspection;
  private final StoreEndings endings;
  private final Latecomers latecomers = new Latecomers();
  private final AtomicInteger attempts = new AtomicInteger();
  private final AtomicInteger timersStarted = new AtomicInteger();
  private final ScheduledExecutorService timers =
      Executors.newSingleThreadScheduledExecutor(StoreServer::daemon);

  // Those that have waited, for a fault.
  private final Set<HoldId> waits = ConcurrentHashMap.newKeySet();

  // Those that were ever held, for a fault.
  private final Set<HoldId> everHeld = ConcurrentHashMap.newKeySet();

  StoreBackend(StoreConnections connections, ClientId client, Fault fault) {
    this.connections = connections;
    this.fault = fault;
    this.requests = new Requests(client, fault);
    this.leases = new SentLeases(fault);
    this.renewals = new StoreRenewals(connections, fault, requests, leases);
    this.inspection = new StoreInspection(connections, fault, requests);
    this.endings = new StoreEndings(connections, fault, requests, timers);
  }

  /** What the engine calls: one that hands locks on, for the faults of that. */
  LockBackend opened() {
    return switch (fault) {
      case HAND_OFF_IS_NOT_KEPT,
          HAND_OFF_TO_NOBODY,
          HAND_OFF_PASSES_QUEUE,
          HAND_OFF_KEEPS_LEASE,
          HAND_OFF_KEEPS_TOKEN,
          HEIRS_BEHIND_STRANGERS,
          PASSED_ARE_SERVED,
          PASSED_STAY_AFTER_THE_HOLD -> new HandOffStore(this, connections, requests);
      case LOOKS_COME_FIRST -> new BatchStore(this);
      default -> this;
    };
  }

  @Override
  public AttemptResult attempt(Attempt attempt) {
    if (fault == Fault.HANGS || (fault == Fault.HANGS_LATER && attempts.incrementAndGet() > 1)) {
      hang();
    }
    if (fault == Fault.DOES_NOTHING) {
      return AttemptResult.busy(Duration.ofMillis(100));
    }
    Wire.Request request = requests.of(attempt, leases.of(attempt));
    if (fault == Fault.ALL_LATE_AFTER_HUNDREDS) {
      latecomers.arrive(attempt, () -> true);
    } else if (fault == Fault.LATE_AFTER_HUNDREDS) {
      latecomers.arrive(attempt, () ->
          (Boolean) connections.call(store -> store.attempts().isFirstToAsk(request)));
    }
    Object answered = send(request);
    if (!(answered instanceof Wire.Answer answer)) {
      return AttemptResult.busy(Duration.ofMillis(10));
    }
    if (fault == Fault.FORGETS_INTERRUPTS) {
      var unused = Thread.interrupted();
    }
    if (fault == Fault.WAITS_LEAK_CONNECTIONS
        && answer.token() < 0
        && attempt.waits()
        && waits.add(attempt.id())) {
      connections.openForWait();
    }
    if (answer.token() == Wire.QUEUED) {
      return AttemptResult.queued(Duration.ofNanos(answer.recheck()));
    }
    boolean blocks = fault == Fault.BLOCKS_WHEN_HELD
        || (fault == Fault.PARTS_BLOCK_WHEN_HELD && attempt.capacity() != 1);
    if (blocks && answer.token() == Wire.BUSY && !attempt.waits()) {
      LockSupport.parkNanos(TOO_LONG);
    }
    if (answer.token() < 0) {
      return AttemptResult.busy(Duration.ofNanos(answer.recheck()));
    }
    leases.granted(attempt.id());
    inspection.has(attempt.name(), true);
    waits.remove(attempt.id());
    if (fault == Fault.KEEPS_HOLDS) {
      everHeld.add(attempt.id());
    }
    latecomers.granted(attempt);
    if (fault == Fault.TIMERS_MULTIPLY) {
      startTimer(attempt.name(), attempt.id());
    }
    if (fault == Fault.EXPIRES_AFTERWARDS) {
      String name = request.name();
      String id = request.id();
      long then = leases.wanted(attempt);
      connections.call(store -> store.holds().expire(name, id, then));
    }
    Grant granted = AttemptResult.granted(attempt, answer.token())
        .withTokens(answer.tokens())
        .withLastToken(fault == Fault.TELLS_EARLIER_TOKEN ? answer.token() - 2 : 0);
    return fault == Fault.HEIRS_BEHIND_STRANGERS ? granted.withHeirs(heirs(request)) : granted;
  }

  /** All of this client that stand in the queue. */
  private List<HoldId> heirs(Wire.Request granted) {
    String[] waiting = (String[]) connections.call(store -> store.attempts().queue(granted));
    long own = HoldId.parse(granted.id()).high();
    return Stream.of(waiting).map(HoldId::parse).filter(id -> id.high() == own).toList();
  }

  private Object send(Wire.Request request) {
    try {
      boolean part = request.capacity() != 1;
      if (fault == Fault.DRAWS_TOKEN_FIRST || (fault == Fault.PARTS_DRAW_TOKEN_FIRST && part)) {
        long token = (Long) connections.call(store -> store.attempts().draw());
        return connections.call(store -> store.attempts().attemptWith(request, token));
      }
      boolean replaces =
          fault == Fault.LOOKS_THEN_REPLACES || (fault == Fault.PARTS_LOOK_THEN_REPLACE && part);
      if (replaces && (Boolean) connections.call(store -> store.attempts().isExpired(request))) {
        return connections.call(store -> store.attempts().replace(request));
      }
      if (fault == Fault.LOOKS_THEN_WAITS && request.waits()) {
        if (!(Boolean) connections.call(store -> store.attempts().isHeldByAnother(request))) {
          return connections.call(store -> store.attempts().attempt(request));
        }
        connections.call(store -> store.attempts().noteWaiter(request));
        return new Wire.Answer(Wire.BUSY, 0, TimeUnit.SECONDS.toNanos(20));
      }
      if (fault == Fault.LOOKS_THEN_TAKES) {
        Object answered = connections.call(store -> store.attempts().look(request));
        if (!(answered instanceof Wire.Answer free) || free.token() != Wire.FREE) {
          return answered;
        }
      }
      if (fault == Fault.FAIR_LOOKS_THEN_TAKES
          && request.fair()
          && (Boolean) connections.call(store -> store.attempts().isFree(request))) {
        return connections.call(store -> store.attempts().take(request));
      }
      if (fault == Fault.COUNTS_THEN_TAKES && request.capacity() != 1 && !request.waits()) {
        Object counted = connections.call(store -> store.attempts().count(request));
        return counted instanceof Wire.Answer free && free.token() == Wire.FREE
            ? connections.call(store -> store.attempts().take(request))
            : counted;
      }
      if (fault == Fault.OWNER_LOOKS_THEN_ENTERS
          && request.shared()
          && (Boolean) connections.call(store -> store.attempts().isHeldByOwner(request))) {
        return connections.call(store -> store.attempts().enterOrTake(request));
      }
      if (fault == Fault.REWRITES_QUEUE && request.waits() && request.fair()) {
        String[] before = (String[]) connections.call(store -> store.attempts().queue(request));
        return connections.call(store -> store.attempts().attemptInQueueOf(request, before));
      }
      if (fault == Fault.LOOKS_THEN_QUEUES
          && request.fair()
          && !(Boolean) connections.call(store -> store.attempts().waitsAlready(request))) {
        return connections.call(store -> store.attempts().attemptAsNew(request));
      }
      if (fault == Fault.REPEATS_ANSWERS) {
        return connections.call(store -> store.attempts().attemptOnce(request));
      }
      if (fault == Fault.NEEDS_COMMON_POOL) {
        return onCommonPool(() -> connections.call(store -> store.attempts().attempt(request)));
      }
      return connections.call(store -> store.attempts().attempt(request));
    } catch (BackendUnavailableException | OutcomeUnknownException e) {
      boolean busy = fault == Fault.CUT_MEANS_BUSY
          || (fault == Fault.ERROR_MEANS_BUSY && e instanceof BackendUnavailableException)
          || (fault == Fault.SHARED_ERROR_MEANS_BUSY && request.capacity() != 1)
          || (fault == Fault.FULL_MEANS_BUSY
              && String.valueOf(e.getMessage()).endsWith(Store.FULL));
      if (busy && !connections.isClosed()) {
        return "busy";
      }
      if (fault == Fault.LOST_MEANS_UNSENT && e instanceof OutcomeUnknownException) {
        throw new BackendUnavailableException(e.getMessage(), e);
      }
      throw e;
    }
  }

  /** Not by a CompletableFuture: whoever waits for that helps the pool. */
  private static Object onCommonPool(Callable<Object> call) {
    FutureTask<Object> task = new FutureTask<>(call);
    ForkJoinPool.commonPool().execute(task);
    try {
      return task.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException("the engine lets no interrupt in", e);
    }
  }

  @Override
  public void renew(List<Renewal> batch, RenewalAnswers answers) {
    renewals.renew(batch, answers);
  }

  @Override
  public boolean release(String name, HoldId id) {
    inspection.has(name, false);
    return endings.release(name, id);
  }

  @Override
  public void abandon(String name, HoldId id) {
    endings.abandon(name, id);
  }

  @Override
  public Optional<HoldInfo> inspect(String name) {
    return inspection.inspect(name);
  }

  @Override
  public Optional<List<WaiterInfo>> waiters(String name, int limit) {
    return inspection.waiters(name, limit);
  }

  @Override
  public Optional<HoldPage> list(HoldQuery query) {
    return Optional.of(inspection.list(query));
  }

  @Override
  public boolean forceRelease(String name, long fencingToken) {
    return endings.forceRelease(name, fencingToken);
  }

  @Override
  public boolean forceRelease(String name) {
    return fault == Fault.FORCE_TAKES_FIRST_HOLDER
        ? inspect(name).map(info -> forceRelease(name, info.fencingToken())).orElse(false)
        : LockBackend.super.forceRelease(name);
  }

  @Override
  public void subscribe(BackendEvents events) {
    connections.subscribe(
        event -> {
          HoldId id = requests.parse(event.id());
          if (event.kind().equals("wake")) {
            events.wake(event.name(), id);
          } else if (event.kind().equals("granted")) {
            Wire.Answer answer = event.grant();
            Duration lease = Duration.ofNanos(event.lease());
            Grant granted = Grant.of(event.name(), id, answer.token(), lease);
            events.granted(granted.withTokens(answer.tokens()), System.nanoTime());
          } else if (fault != Fault.HIDES_LOSSES && fault != Fault.RENEWS_ANYTHING) {
            events.revoked(event.name(), id);
          }
        },
        events::inDoubt);
  }

  @Override
  public String server() {
    return "test store";
  }

  @Override
  public void close() {
    timers.shutdownNow();
    if (fault == Fault.CLOSE_AWAITS_ANSWER) {
      connections.awaitAnswer();
    }
    if (fault == Fault.CLOSE_ENDS_HOLDS) {
      endings.endAll();
    }
    if (fault != Fault.STAYS_CONNECTED) {
      connections.close();
    }
  }

  private static void hang() {
    while (true) {
      LockSupport.park();
    }
  }

  /** Sends what has no effect, so that nothing but the number of the requests is wrong. */
  private void startTimer(String name, HoldId id) {
    if (timersStarted.incrementAndGet() > MOST_TIMERS) {
      return;
    }
    Wire.Request request = requests.of(name, id, 0);
    var unused = timers.scheduleWithFixedDelay(
        () -> {
          try {
            connections.call(store -> store.holds().renew(request));
          } catch (BackendUnavailableException | OutcomeUnknownException e) {
            // The next time then.
          }
        },
        TIMER_MILLIS,
        TIMER_MILLIS,
        TimeUnit.MILLISECONDS);
  }
}
