package dev.interlock.quorum;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.LockProviderNotFoundException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.BatchBackend;
import dev.interlock.spi.LockBackend;
import java.time.Duration;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One server of the quorum: calls it on threads of its own, so that no caller hangs on it, and
 * leaves it out while it is silent. One that fails at once, because it refuses or nobody listens
 * there, costs nobody any time and is asked on. A member that is left out is asked by itself
 * whether it is back, at most once in a while, so that no request waits for that. Thread-safe.
 */
final class Member {
  /** Who does not answer for so long is left out. */
  static final Duration SILENT = Duration.ofSeconds(1);

  /** Who fails within this time is not silent, in nanoseconds. */
  private static final long AT_ONCE = TimeUnit.MILLISECONDS.toNanos(200);

  /** How soon to ask a member again that was silent, at first and at last. */
  private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);

  private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

  /** One that has stood still itself finds the answer within this time, in nanoseconds. */
  private static final long GRACE = TimeUnit.MILLISECONDS.toNanos(100);

  private static final Executor REMINDER =
      CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS, Runnable::run);

  /** One question that is under way. */
  static final class Call {
    private final long since = System.nanoTime();
    private volatile long suspectedAt = Long.MIN_VALUE;

    /** Whether it is without an answer for too long, as somebody has seen a while ago. */
    boolean hangs() {
      long now = System.nanoTime();
      if (now - since <= SILENT.toNanos()) {
        return false;
      }
      if (suspectedAt == Long.MIN_VALUE) {
        suspectedAt = now;
        return false;
      }
      return now - suspectedAt > GRACE;
    }
  }

  private final int place;
  private final LockConfig config;
  private final BackendContext context;
  private final boolean durable;
  private final MemberThreads threads;
  private final Deque<Call> underWay = new ConcurrentLinkedDeque<>();
  private final AtomicBoolean probing = new AtomicBoolean();
  private final AtomicBoolean reminding = new AtomicBoolean();
  private final BackendEvents events;
  private final Memory memory;
  private volatile @Nullable LockBackend backend;
  private volatile boolean out = true;
  private volatile long pause = FIRST_PAUSE;
  private volatile long askAt = System.nanoTime();
  private volatile @Nullable LockException failure;
  private volatile boolean closed;

  private final Debts debts = new Debts(this);
  private final MemberBatches batches = new MemberBatches(this);

  Member(
      int place,
      Settings settings,
      BackendContext context,
      Function<Member, BackendEvents> events) {
    this(
        place,
        settings,
        context,
        events,
        new MemberThreads("interlock-quorum-member-" + (place + 1)));
  }

  /**
   * Creates; {@link #join} connects.
   *
   * @param place from 0 on, the same in every client
   * @param settings of the quorum
   * @param context opens it
   * @param events makes what hears of its events
   * @param threads on which it is called
   */
  Member(
      int place,
      Settings settings,
      BackendContext context,
      Function<Member, BackendEvents> events,
      MemberThreads threads) {
    this.place = place;
    this.events = events.apply(this);
    this.config = settings.members().get(place);
    this.context = context;
    this.durable = Settings.isDurable(config);
    this.memory = new Memory(place, settings, durable);
    this.threads = threads;
  }

  int place() {
    return place;
  }

  /** Whether it keeps what it has answered, whatever happens to it. */
  boolean isDurable() {
    return durable;
  }

  Memory memory() {
    return memory;
  }

  private LockBackend connect() {
    LockBackend opened = context.open(config);
    synchronized (this) {
      if (!closed && backend == null) {
        opened.subscribe(events);
        backend = opened;
        return opened;
      }
    }
    opened.close();
    return requireOpen();
  }

  private LockBackend requireOpen() {
    LockBackend open = backend;
    if (open == null || closed) {
      throw new BackendUnavailableException("member %d is closed".formatted(place + 1));
    }
    return open;
  }

  /**
   * Connects if that is still to do, and asks it something. It is live once it has answered.
   *
   * @return fails with a LockException if it did not
   */
  CompletableFuture<Boolean> join() {
    return submit(() -> {
      LockBackend open = backend == null ? connect() : requireOpen();
      var unused = open.inspect(Memory.MARK);
      return true;
    });
  }

  /** Calls it. The future completes on a thread of this member, or fails with a LockException. */
  <T> CompletableFuture<T> call(Function<LockBackend, T> body) {
    return submit(() -> body.apply(requireOpen()));
  }

  /**
   * Asks it, together with what other threads ask at that moment if its backend can. The future
   * completes on a thread of this member, or fails with a LockException.
   */
  <T> CompletableFuture<T> ask(Function<Inquiry, CompletableFuture<T>> question) {
    return !closed && backend instanceof BatchBackend together
        ? batches.ask(together, question)
        : submit(() -> answer(question.apply(new Inquiry.Alone(requireOpen()))));
  }

  /** Of one who was asked alone, which is there. */
  private static <T> T answer(CompletableFuture<T> alone) {
    try {
      return alone.join();
    } catch (CompletionException e) {
      throw Round.failure(e);
    }
  }

  private <T> CompletableFuture<T> submit(Supplier<T> body) {
    CompletableFuture<T> result = new CompletableFuture<>();
    start(
        () -> {
          Call call = begins();
          try {
            T answer = body.get();
            ended(call, null);
            result.complete(answer);
          } catch (LockException e) {
            ended(call, e);
            result.completeExceptionally(e);
          } catch (Throwable e) { // an Error, too, says nothing of what the server did
            LockException unknown = new OutcomeUnknownException("failed unexpectedly: " + e, e);
            ended(call, unknown);
            result.completeExceptionally(unknown);
          }
        },
        result::completeExceptionally);
    return result;
  }

  /** Has a thread of this member do something, or says why there is none. */
  void start(Runnable work, Consumer<BackendUnavailableException> refused) {
    try {
      threads.execute(work);
    } catch (RejectedExecutionException e) {
      refused.accept(new BackendUnavailableException("this LockClient is closed"));
    } catch (Error e) { // there are no threads to be had
      refused.accept(new BackendUnavailableException(
          "member %d was not asked, for no thread could be started: %s"
              .formatted(place + 1, e.getMessage()),
          e));
    }
  }

  /** A question is under way from now on. */
  Call begins() {
    Call call = new Call();
    underWay.add(call);
    return call;
  }

  /** Before anybody hears of it, who must not find the call still under way. */
  void ended(Call call, @Nullable LockException error) {
    underWay.remove(call);
    if (error == null) {
      failure = null;
      out = false;
      pause = FIRST_PAUSE;
      pay();
    } else {
      failure = error;
      if (System.nanoTime() - call.since > AT_ONCE) {
        leaveOut();
      }
    }
  }

  private synchronized void leaveOut() {
    if (!out) {
      out = true;
      askAt = System.nanoTime() + pause;
    }
  }

  /** Whether to ask it. One that is not asked is looked after. */
  boolean isLive() {
    Call oldest = underWay.peekFirst();
    if (oldest != null && oldest.hangs()) {
      return false; // it hangs: what is under way ends within its own time limit
    }
    if (!out) {
      return true;
    }
    if (System.nanoTime() - askAt >= 0 && probe()) {
      pause = Math.min(LONGEST_PAUSE, 2 * pause);
    }
    return false;
  }

  /** Asks whether it is there, which pays a debt if so. Answers false if that is under way. */
  private boolean probe() {
    if (!probing.compareAndSet(false, true)) {
      return false;
    }
    askAt = System.nanoTime() + pause;
    var unused = join().whenComplete((joined, error) -> probing.set(false));
    return true;
  }

  /**
   * Gives something back once this member answers again, unless it has run out by then, or was
   * asked for again. It is asked whether it does, at once and then every second: nobody else may
   * ask it anything for long, and others wait for what it has.
   *
   * @param failed the question by which it was to be given back
   */
  void owes(Standing standing, CompletableFuture<?> failed) {
    if (owesStill(standing, failed) && !closed) {
      var unused = probe();
    }
  }

  private boolean owesStill(Standing standing, CompletableFuture<?> failed) {
    boolean owes = standing.owes(this, failed);
    if (owes) {
      debts.add(standing);
      remind();
    }
    return owes;
  }

  /** Asks every second while something is owed: a client that is idle asks nothing else. */
  private void remind() {
    if (!closed && debts.areLeft() && reminding.compareAndSet(false, true)) {
      REMINDER.execute(() -> {
        reminding.set(false);
        var unused = probe();
        remind();
      });
    }
  }

  private void pay() {
    Standing debt = debts.next();
    if (debt != null) {
      CompletableFuture<Boolean> paid = debt.pay(this);
      var unused = paid.whenComplete((done, error) -> {
        if (error != null && !closed) {
          var unusedAnswer = owesStill(debt, paid); // it has just failed: asked again later
        }
      });
    }
  }

  /** For messages: which member, and what is wrong with it. */
  String complaint() {
    LockException error = failure;
    String what = error == null ? "does not answer" : String.valueOf(error.getMessage());
    return "member %d (%s): %s".formatted(place + 1, config.provider(), what);
  }

  /** Product and version of its server. */
  String server() {
    LockBackend open = backend;
    return open == null ? "not reached" : open.server();
  }

  /** Whether the error means that the quorum cannot be opened at all. */
  static boolean isFinal(Throwable error) {
    return error instanceof LockConfigurationException
        || error instanceof LockProviderNotFoundException;
  }

  /** Blocks until what was asked before is answered, for a bounded time. */
  void close() {
    threads.close(System.nanoTime() + SILENT.toNanos());
    LockBackend open;
    synchronized (this) {
      closed = true;
      open = backend;
    }
    if (open != null) {
      open.close();
    }
  }
}
