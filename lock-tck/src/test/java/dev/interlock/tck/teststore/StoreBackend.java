package dev.interlock.tck.teststore;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HoldInfo;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
import java.util.stream.IntStream;

/** The client of {@link StoreServer}. */
final class StoreBackend implements LockBackend {
  private static final int MUCH_LONGER = 5;
  private static final long NO_EXPIRY = Duration.ofDays(1_000).toNanos();

  private static final long TOO_LONG = Duration.ofMillis(600).toNanos();
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long CAP = 15 * SECOND;
  private static final long CLOCK_NOISE = TimeUnit.MILLISECONDS.toNanos(200);
  private static final int HUNDRED = 100;
  private static final long TIMER_MILLIS = 300;
  private static final int MOST_TIMERS = 200;

  private final StoreConnections connections;
  private final ClientId client;
  private final Fault fault;
  private final Map<String, Long> firstLeases = new ConcurrentHashMap<>();
  // What a broken client tells the server in place of a hold's id, and how often each thread asked.
  private final Map<HoldId, String> identities = new ConcurrentHashMap<>();
  private final AtomicInteger attempts = new AtomicInteger();
  private final Map<String, Integer> asked = new ConcurrentHashMap<>();
  private final AtomicInteger timersStarted = new AtomicInteger();
  private final ScheduledExecutorService timers =
      Executors.newSingleThreadScheduledExecutor(StoreServer::daemon);

  // For faults only: the clocks when this was opened, and what inspection found lately.
  private final long openedWall = System.currentTimeMillis();
  private final long opened = System.nanoTime();
  private final Map<String, Found> found = new ConcurrentHashMap<>();

  private final Map<HoldId, Long> clocks = new ConcurrentHashMap<>();

  private record Found(Optional<HoldInfo> what, long at) {}

  StoreBackend(StoreConnections connections, ClientId client, Fault fault) {
    this.connections = connections;
    this.client = client;
    this.fault = fault;
  }

  @Override
  public AttemptResult attempt(Attempt attempt) {
    long wanted = attempt.lease().toNanos();
    if (fault == Fault.FIRST_LEASE_STICKS) {
      long first =
          firstLeases.computeIfAbsent(attempt.name(), name -> attempt.lease().toNanos());
      wanted = wanted >= MUCH_LONGER * first ? first : wanted;
    }
    String thread = Thread.currentThread().getName();
    if (fault == Fault.THREAD_NAME && attempt.owner().equals(thread)) {
      identities.computeIfAbsent(
          attempt.id(), id -> thread + " " + asked.merge(thread, 1, Integer::sum));
    }
    if (fault == Fault.HANGS || (fault == Fault.HANGS_LATER && attempts.incrementAndGet() > 1)) {
      hang();
    }
    if (fault == Fault.DOES_NOTHING) {
      return AttemptResult.busy(Duration.ofMillis(100));
    }
    long lease = fault == Fault.EXPIRES_AFTERWARDS ? NO_EXPIRY : sent(wanted);
    Wire.Request request = request(attempt, lease);
    Object answered = send(request);
    if (!(answered instanceof Wire.Answer answer)) {
      return AttemptResult.busy(Duration.ofMillis(10));
    }
    if (fault == Fault.FORGETS_INTERRUPTS) {
      var unused = Thread.interrupted();
    }
    if (answer.token() == Wire.QUEUED) {
      return AttemptResult.queued(Duration.ofNanos(answer.recheck()));
    }
    if (fault == Fault.BLOCKS_WHEN_HELD && answer.token() == Wire.BUSY && !attempt.waits()) {
      LockSupport.parkNanos(TOO_LONG);
    }
    if (answer.token() < 0) {
      return AttemptResult.busy(Duration.ofNanos(answer.recheck()));
    }
    if (fault == Fault.HOLDS_FOLLOW_CLOCK) {
      clocks.put(attempt.id(), clockMoved());
    }
    if (fault == Fault.TIMERS_MULTIPLY) {
      startTimer(attempt.name(), attempt.id());
    }
    if (fault == Fault.EXPIRES_AFTERWARDS) {
      String name = request.name();
      String id = request.id();
      long then = wanted;
      connections.call(store -> store.expire(name, id, then));
    }
    return AttemptResult.granted(attempt, answer.token()).withTokens(answer.tokens());
  }

  /** What becomes of a lease on its way to the server. */
  private long sent(long lease) {
    return switch (fault) {
      case FOLLOWS_CLOCK -> Math.max(1, lease + clockMoved());
      case ENDS_EARLY -> lease - lease / 10;
      case CUTS_TO_SECONDS -> lease >= 2 * SECOND ? lease - lease % SECOND : lease;
      case ROUNDS_UP -> (lease + SECOND - 1) / SECOND * SECOND;
      case CAPS_LEASES -> Math.min(lease, CAP);
      case WRAPS_MILLIS -> Math.max(1, (int) (lease / 1_000_000)) * 1_000_000L;
      default -> lease;
    };
  }

  private long sentToRenew(Renewal renewal) {
    long lease = renewal.lease().toNanos();
    return switch (fault) {
      case HOLDS_FOLLOW_CLOCK ->
        Math.max(1, lease + clockMoved() - clocks.getOrDefault(renewal.id(), clockMoved()));
      case RENEWALS_FOLLOW_CLOCK -> Math.max(1, lease + clockMoved());
      case CAPS_RENEWALS -> Math.min(lease, CAP * 2 / 3);
      default -> sent(lease);
    };
  }

  private long clockMoved() {
    long wall = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis() - openedWall);
    long moved = wall - (System.nanoTime() - opened);
    return Math.abs(moved) < CLOCK_NOISE ? 0 : moved;
  }

  private Object send(Wire.Request request) {
    try {
      if (fault == Fault.DRAWS_TOKEN_FIRST) {
        long token = (Long) connections.call(Store::draw);
        return connections.call(store -> store.attemptWith(request, token));
      }
      if (fault == Fault.LOOKS_THEN_REPLACES
          && (Boolean) connections.call(store -> store.isExpired(request))) {
        return connections.call(store -> store.replace(request));
      }
      if (fault == Fault.LOOKS_THEN_WAITS && request.waits()) {
        if (!(Boolean) connections.call(store -> store.isHeldByAnother(request))) {
          return connections.call(store -> store.attempt(request));
        }
        connections.call(store -> store.noteWaiter(request));
        return new Wire.Answer(Wire.BUSY, 0, TimeUnit.SECONDS.toNanos(20));
      }
      if (fault == Fault.LOOKS_THEN_TAKES) {
        Object answered = connections.call(store -> store.look(request));
        if (!(answered instanceof Wire.Answer free) || free.token() != Wire.FREE) {
          return answered;
        }
      }
      if (fault == Fault.COUNTS_THEN_TAKES && request.capacity() != 1 && !request.waits()) {
        Object counted = connections.call(store -> store.count(request));
        return counted instanceof Wire.Answer free && free.token() == Wire.FREE
            ? connections.call(store -> store.take(request))
            : counted;
      }
      if (fault == Fault.REPEATS_ANSWERS) {
        return connections.call(store -> store.attemptOnce(request));
      }
      if (fault == Fault.NEEDS_COMMON_POOL) {
        return onCommonPool(() -> connections.call(store -> store.attempt(request)));
      }
      return connections.call(store -> store.attempt(request));
    } catch (BackendUnavailableException | OutcomeUnknownException e) {
      boolean busy = fault == Fault.CUT_MEANS_BUSY
          || (fault == Fault.ERROR_MEANS_BUSY && e instanceof BackendUnavailableException)
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
    List<Wire.Request> requests = batch.stream()
        .map(renewal -> request(renewal.name(), renewal.id(), sentToRenew(renewal)))
        .toList();
    int together = fault == Fault.RENEWS_ONE_BY_ONE ? 1 : requests.size();
    for (int i = 0; i < requests.size(); i += together) {
      List<Wire.Request> part = List.copyOf(requests.subList(i, i + together));
      List<RenewalResult> found = renewed(batch.subList(i, i + together), part);
      for (int j = 0; j < found.size(); j++) {
        answers.answer(batch.get(i + j), found.get(j));
      }
    }
  }

  private List<RenewalResult> renewed(List<Renewal> batch, List<Wire.Request> requests) {
    List<RenewalResult> none = Collections.nCopies(requests.size(), RenewalResult.gone());
    List<RenewalResult> results;
    try {
      results = connections.wasLost() ? none : answers(batch, requests);
    } catch (BackendUnavailableException | OutcomeUnknownException e) {
      boolean refused = String.valueOf(e.getMessage()).startsWith(StoreConnections.REFUSED);
      boolean gone =
          fault == Fault.UNSENT_MEANS_GONE || (fault == Fault.REFUSED_MEANS_GONE && refused);
      if (gone && !connections.isClosed()) {
        return none;
      }
      throw e;
    }
    boolean oneIsGone = results.stream().anyMatch(RenewalResult.Gone.class::isInstance);
    return fault == Fault.BATCH_SHARES_ANSWER && oneIsGone ? none : results;
  }

  private List<RenewalResult> answers(List<Renewal> batch, List<Wire.Request> requests) {
    List<Wire.Answer> found = new ArrayList<>(asked(requests));
    boolean oneIsHeld = found.stream().anyMatch(answer -> answer.token() >= 0);
    Wire.Answer held = new Wire.Answer(1, 1, 0);
    while (found.size() < requests.size()) {
      found.add(found.get(0));
    }
    if (fault == Fault.RENEWS_ANYTHING || (fault == Fault.ONE_HELD_ALL_HELD && oneIsHeld)) {
      found.replaceAll(answer -> answer.token() < 0 ? held : answer);
    }
    if (fault == Fault.SWAPS_ENDS_OF_BATCH) {
      Collections.swap(found, 0, found.size() - 1);
    }
    return IntStream.range(0, found.size())
        .mapToObj(i -> renewed(batch.get(i), found.get(i)))
        .toList();
  }

  private List<Wire.Answer> asked(List<Wire.Request> requests) {
    if (fault == Fault.LOOKS_THEN_RENEWS) {
      return requests.stream().map(this::lookThenProlong).toList();
    }
    List<Wire.Request> sent = fault == Fault.HUNDRED_OF_BATCH && requests.size() > HUNDRED
        ? List.copyOf(requests.subList(0, HUNDRED))
        : requests;
    return List.of((Wire.Answer[]) connections.call(store -> store.renewAll(sent)));
  }

  private Wire.Answer lookThenProlong(Wire.Request request) {
    return (Boolean) connections.call(store -> store.holds(request))
        ? (Wire.Answer) connections.call(store -> store.prolongByName(request))
        : new Wire.Answer(Wire.BUSY, 0, 0);
  }

  private static RenewalResult renewed(Renewal renewal, Wire.Answer answer) {
    if (answer.token() == Wire.QUEUED) {
      return RenewalResult.queued(Duration.ofNanos(answer.recheck()));
    }
    if (answer.token() == Wire.FAILED) {
      return RenewalResult.failed(new BackendUnavailableException("the lock is spoilt"));
    }
    return answer.token() < 0
        ? RenewalResult.gone()
        : RenewalResult.held(renewal, answer.token()).withTokens(answer.tokens());
  }

  @Override
  public boolean release(String name, HoldId id) {
    Wire.Request request = request(name, id, 0);
    boolean held;
    if (fault == Fault.UNSENT_RELEASE_MEANS_DONE) {
      try {
        return (Boolean) connections.call(store -> store.release(request));
      } catch (BackendUnavailableException | OutcomeUnknownException e) {
        return true;
      }
    }
    if (fault == Fault.LOOKS_THEN_FREES) {
      held = (Boolean) connections.call(store -> store.holds(request))
          && (Boolean) connections.call(store -> store.freeByName(request.name()));
    } else {
      held = (Boolean) connections.call(store -> store.release(request));
    }
    return held || fault == Fault.HIDES_LOSSES;
  }

  @Override
  public void abandon(String name, HoldId id) {
    Wire.Request request = request(name, id, 0);
    if (fault == Fault.ABANDONS_LATER) {
      var unused = timers.schedule(
          () -> connections.call(store -> store.abandon(request)),
          TIMER_MILLIS,
          TimeUnit.MILLISECONDS);
    } else if (fault == Fault.LOOKS_THEN_ABANDONS
        && (Boolean) connections.call(store -> store.holds(request))) {
      connections.call(store -> store.freeByName(name));
    } else {
      try {
        connections.call(store -> store.abandon(request));
      } catch (BackendUnavailableException | OutcomeUnknownException e) {
        if (fault != Fault.ABANDON_FAILED_MEANS_DONE) {
          throw e;
        }
      }
    }
  }

  @Override
  public Optional<HoldInfo> inspect(String name) {
    Found before = found.get(name);
    if (fault == Fault.STALE_INSPECT
        && before != null
        && System.nanoTime() - before.at() < SECOND / 2) {
      return before.what();
    }
    Optional<HoldInfo> info;
    try {
      info = look(name);
    } catch (BackendUnavailableException | OutcomeUnknownException e) {
      if (fault == Fault.FAILED_INSPECT_MEANS_FREE) {
        return Optional.empty();
      }
      throw e;
    }
    if (fault == Fault.STALE_INSPECT) {
      found.put(name, new Found(info, System.nanoTime()));
    }
    return info;
  }

  private Optional<HoldInfo> look(String name) {
    long clock = System.currentTimeMillis();
    if (!(connections.call(store -> store.inspect(name, clock)) instanceof Wire.Info info)) {
      return Optional.empty();
    }
    long token = info.token();
    if (fault == Fault.INSPECTS_IN_TWO_STEPS
        && connections.call(store -> store.inspect(name, clock)) instanceof Wire.Info again) {
      token = again.token();
    }
    return Optional.of(info(name, info, token)
        .withOthers(info.others().stream()
            .map(other -> info(name, other, other.token()))
            .toList()));
  }

  private static HoldInfo info(String name, Wire.Info info, long token) {
    return HoldInfo.of(
        name,
        info.owner(),
        info.host(),
        Instant.ofEpochMilli(info.since()),
        Duration.ofNanos(info.remaining()),
        token,
        info.waiters());
  }

  @Override
  public boolean forceRelease(String name, long fencingToken) {
    long clock = System.currentTimeMillis();
    if (fault == Fault.LOOKS_THEN_FORCES) {
      return connections.call(store -> store.inspect(name, clock)) instanceof Wire.Info info
          && info.token() == fencingToken
          && (Boolean) connections.call(store -> store.freeByName(name));
    }
    try {
      return (Boolean) connections.call(store -> store.forceRelease(name, fencingToken, clock));
    } catch (BackendUnavailableException | OutcomeUnknownException e) {
      if (fault == Fault.FORCE_FAILED_MEANS_FREE) {
        return false;
      }
      throw e;
    }
  }

  @Override
  public void subscribe(BackendEvents events) {
    connections.subscribe(
        event -> {
          HoldId id = parse(event.id());
          if (event.kind().equals("wake")) {
            events.wake(event.name(), id);
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
    if (fault != Fault.STAYS_CONNECTED) {
      connections.close();
    }
  }

  private HoldId parse(String identity) {
    return identities.entrySet().stream()
        .filter(entry -> entry.getValue().equals(identity))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElseGet(() -> HoldId.parse(identity));
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
    Wire.Request request = request(name, id, 0);
    var unused = timers.scheduleWithFixedDelay(
        () -> {
          try {
            connections.call(store -> store.renew(request));
          } catch (BackendUnavailableException | OutcomeUnknownException e) {
            // The next time then.
          }
        },
        TIMER_MILLIS,
        TIMER_MILLIS,
        TimeUnit.MILLISECONDS);
  }

  private Wire.Request request(Attempt attempt, long lease) {
    return new Wire.Request(
        attempt.name(),
        identity(attempt.id()),
        client.id(),
        client.host(),
        attempt.owner(),
        lease,
        attempt.waits(),
        attempt.fair(),
        attempt.sharedOwner(),
        attempt.tokens(),
        System.currentTimeMillis(),
        attempt.units(),
        attempt.capacity(),
        attempt.beside() == null ? null : identity(attempt.beside()));
  }

  /** What concerns a hold or a waiter that the server knows. */
  private Wire.Request request(String name, HoldId id, long lease) {
    return new Wire.Request(
        name,
        identity(id),
        client.id(),
        client.host(),
        "",
        lease,
        false,
        false,
        false,
        1,
        System.currentTimeMillis(),
        1,
        1,
        null);
  }

  private String identity(HoldId id) {
    return identities.getOrDefault(id, id.toString());
  }
}
