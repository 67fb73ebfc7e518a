package dev.interlock.local;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HoldInfo;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A backend between engine and {@link LocalBackend} that does to calls what a test asks for. */
final class FaultyBackend implements HandOffBackend {

  /** What can go wrong. */
  enum Operation {
    ATTEMPT,
    RENEW,
    RELEASE,
    ABANDON,
    INSPECT,
    FORCE_RELEASE
  }

  /** What the engine asked for. */
  interface Call {
    Object run();
  }

  /** What goes wrong. */
  interface Fault {
    Object around(Call call);

    /** The call never reaches the server, and the engine knows. */
    static Fault refused() {
      return call -> {
        throw new BackendUnavailableException("refused by the test");
      };
    }

    /** The call takes effect, and no answer comes. */
    static Fault replyLost() {
      return call -> {
        call.run();
        throw new OutcomeUnknownException("the reply was lost by the test");
      };
    }

    /** The call never reaches the server, but the engine cannot know. */
    static Fault requestLost() {
      return call -> {
        throw new OutcomeUnknownException("the request was lost by the test");
      };
    }

    /** The backend has a bug. */
    static Fault thrown(Throwable error) {
      return call -> {
        throw FaultyBackend.<RuntimeException>unchecked(error);
      };
    }
  }

  /** Holds a call up until it is opened. */
  static final class Gate implements Fault {
    private final boolean before;
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch opened = new CountDownLatch(1);

    private Gate(boolean before) {
      this.before = before;
    }

    static Gate beforeServer() {
      return new Gate(true);
    }

    static Gate beforeReply() {
      return new Gate(false);
    }

    @Override
    public Object around(Call call) {
      @Nullable Object result = before ? null : call.run();
      reached.countDown();
      await(opened);
      return result == null ? call.run() : result;
    }

    void awaitReached() {
      await(reached);
    }

    void open() {
      opened.countDown();
    }

    private static void await(CountDownLatch latch) {
      try {
        if (!latch.await(10, TimeUnit.SECONDS)) {
          throw new AssertionError("the gate was not passed within 10 s");
        }
      } catch (InterruptedException e) {
        throw new AssertionError("the engine let an interrupt into the backend", e);
      }
    }
  }

  /** The caller gives up at once; the server runs the call when the test says so. */
  static final class Late implements Fault {
    private final Queue<Call> calls = new ConcurrentLinkedQueue<>();

    @Override
    public Object around(Call call) {
      calls.add(call);
      throw new OutcomeUnknownException("the test lets it run late");
    }

    void runNow() {
      calls.forEach(Call::run);
      calls.clear();
    }
  }

  private final LocalBackend server;
  private final Map<Operation, Queue<Fault>> next = new EnumMap<>(Operation.class);
  private final Map<Operation, Fault> always = new ConcurrentHashMap<>();
  private final Map<Operation, AtomicInteger> calls = new EnumMap<>(Operation.class);
  private volatile @Nullable BackendEvents engine;
  private volatile boolean eventsDropped;
  private volatile boolean queueless;
  private volatile boolean callsOthers;
  private volatile boolean interruptSeen;
  private volatile boolean closed;
  private volatile int largestBatch;
  private volatile Set<String> silent = Set.of();

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // an Error passes as what it is
  private static <T extends Throwable> T unchecked(Throwable error) throws T {
    throw (T) error;
  }

  FaultyBackend(LocalBackend server) {
    this.server = server;
    for (Operation operation : Operation.values()) {
      next.put(operation, new ConcurrentLinkedQueue<>());
      calls.put(operation, new AtomicInteger());
    }
  }

  /** Does it to the next call. */
  <F extends Fault> F next(Operation operation, F fault) {
    next.get(operation).add(fault);
    return fault;
  }

  /** Does it to every call from now on. */
  void always(Operation operation, Fault fault) {
    always.put(operation, fault);
  }

  void heal() {
    always.clear();
    next.values().forEach(Queue::clear);
    silent = Set.of();
  }

  /** Loses all events. */
  void dropEvents() {
    eventsDropped = true;
  }

  /** Says that events may have been lost. */
  void tellInDoubt() {
    Objects.requireNonNull(engine).inDoubt();
  }

  /** Is like a server without a queue and without wake-ups, which waiters must ask again. */
  void withoutQueue() {
    queueless = true;
    eventsDropped = true;
  }

  /** Without a queue, and a release says that another client's waiter was called. */
  void callsOthers() {
    withoutQueue();
    callsOthers = true;
  }

  /** The server of these locks does not answer, and whoever asks it gives up after two seconds. */
  void silence(Set<String> names) {
    silent = names;
  }

  private void requireHeard(String name) {
    if (silent.contains(name)) {
      Await.pass(2000);
      throw new OutcomeUnknownException("not answered within 2 s");
    }
  }

  int calls(Operation operation) {
    return calls.get(operation).get();
  }

  int allCalls() {
    return calls.values().stream().mapToInt(AtomicInteger::get).sum();
  }

  boolean hasSeenInterrupt() {
    return interruptSeen;
  }

  boolean isClosed() {
    return closed;
  }

  int largestBatch() {
    return largestBatch;
  }

  @SuppressWarnings("unchecked") // a fault answers what the call answers
  private <T> T call(Operation operation, Supplier<T> body) {
    Fault fault = next.get(operation).poll();
    if (fault == null) {
      fault = always.get(operation);
    }
    // Afterwards, so that a call that was counted is not met by a fault that comes later.
    calls.get(operation).incrementAndGet();
    interruptSeen |= Thread.currentThread().isInterrupted();
    return fault == null ? body.get() : (T) fault.around(body::get);
  }

  @Override
  public AttemptResult attempt(Attempt attempt) {
    Attempt sent = queueless ? withoutWaiting(attempt) : attempt;
    return call(Operation.ATTEMPT, () -> server.attempt(sent));
  }

  private static Attempt withoutWaiting(Attempt attempt) {
    return attempt.withFair(false).withPatience(Duration.ZERO);
  }

  @Override
  public void renew(List<Renewal> batch, RenewalAnswers answers) {
    largestBatch = Math.max(largestBatch, batch.size());
    List<RenewalResult> results =
        call(Operation.RENEW, () -> RenewalAnswers.collect(server, batch));
    for (int i = 0; i < batch.size(); i++) {
      answers.answer(batch.get(i), results.get(i));
    }
  }

  @Override
  public ReleaseResult release(Release release) {
    requireHeard(release.name());
    Release sent = queueless ? Release.of(release.name(), release.id()) : release;
    ReleaseResult answer = call(Operation.RELEASE, () -> HandOffBackend.release(server, sent));
    return callsOthers && release.next() != null
        ? answer.withGranted(null).withNext(AttemptResult.busy(Duration.ofMillis(50)))
        : answer;
  }

  @Override
  public void abandon(String name, HoldId id) {
    requireHeard(name);
    call(Operation.ABANDON, () -> {
      server.abandon(name, id);
      return true;
    });
  }

  @Override
  public Optional<HoldInfo> inspect(String name) {
    return call(Operation.INSPECT, () -> server.inspect(name));
  }

  @Override
  public boolean forceRelease(String name, long fencingToken) {
    return call(Operation.FORCE_RELEASE, () -> server.forceRelease(name, fencingToken));
  }

  @Override
  public void subscribe(BackendEvents events) {
    engine = events;
    server.subscribe(new BackendEvents() {
      @Override
      public void granted(Grant grant, long notBeforeNanos) {
        if (!eventsDropped) {
          events.granted(grant, notBeforeNanos);
        }
      }

      @Override
      public void wake(String name, HoldId id) {
        if (!eventsDropped) {
          events.wake(name, id);
        }
      }

      @Override
      public void revoked(String name, HoldId id) {
        if (!eventsDropped) {
          events.revoked(name, id);
        }
      }

      @Override
      public void inDoubt() {
        events.inDoubt();
      }
    });
  }

  @Override
  public String server() {
    return server.server();
  }

  @Override
  public void close() {
    closed = true;
    server.close();
  }
}
