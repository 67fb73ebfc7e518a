package dev.interlock.quorum.internal.member;

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
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedDeque;
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
public final class Member {
  /** Who does not answer for so long is left out. */
  public static final Duration SILENT = Duration.ofSeconds(1);

  /** Who fails within this time is not silent, in nanoseconds. */
  private static final long AT_ONCE = TimeUnit.MILLISECONDS.toNanos(200);

  /** How soon to ask a member again that was silent, at first and at last. */
  private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);

  private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

  private final int place;
  private final LockConfig config;
  private final BackendContext context;
  private final boolean durable;
  private final MemberThreads threads;
  private final Deque<Call> underWay = new ConcurrentLinkedDeque<>();
  private final AtomicBoolean probing = new AtomicBoolean();
  private final BackendEvents events;
  private final Consumer<Member> answered;
  private final Memory memory;
  private volatile @Nullable LockBackend backend;
  private volatile boolean out = true;
  private volatile long pause = FIRST_PAUSE;
  private volatile long askAt = System.nanoTime();
  private volatile @Nullable LockException failure;
  private volatile boolean closed;

  private final MemberBatches batches = new MemberBatches(this);

  Member(
      int place,
      Membership quorum,
      BackendContext context,
      Function<Member, BackendEvents> events,
      Consumer<Member> answered) {
    this(
        place,
        quorum,
        context,
        events,
        answered,
        new MemberThreads("interlock-quorum-member-" + (place + 1)));
  }

  /**
   * Creates; {@link #join} connects.
   *
   * @param place from 0 on, the same in every client
   * @param quorum to which it belongs
   * @param context opens it
   * @param events makes what hears of its events
   * @param answered told of this member after each of its answers, before anybody hears of those
   * @param threads on which it is called
   */
  Member(
      int place,
      Membership quorum,
      BackendContext context,
      Function<Member, BackendEvents> events,
      Consumer<Member> answered,
      MemberThreads threads) {
    this.place = place;
    this.events = events.apply(this);
    this.answered = answered;
    this.config = quorum.members().get(place);
    this.context = context;
    this.durable = Membership.isDurable(config);
    this.memory = new Memory(place, quorum, durable);
    this.threads = threads;
  }

  public int place() {
    return place;
  }

  /** Whether it keeps what it has answered, whatever happens to it. */
  public boolean isDurable() {
    return durable;
  }

  public Memory memory() {
    return memory;
  }

  MemberBatches batches() {
    return batches;
  }

  private LockBackend connect() {
    LockBackend opened = context.open(config);
    try {
      synchronized (this) {
        if (!closed && backend == null) {
          opened.subscribe(events);
          backend = opened;
        }
      }
    } finally {
      if (backend != opened) { // there is another one, or it failed, and is tried again and again
        opened.close();
      }
    }
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
  public <T> CompletableFuture<T> call(Function<LockBackend, T> body) {
    return submit(() -> body.apply(requireOpen()));
  }

  /**
   * Renews. A large batch may take longer than one question, on a member that is busy: it is not
   * silent as long as it answers one renewal after the other.
   */
  public CompletableFuture<Boolean> renew(List<Renewal> batch, RenewalAnswers answers) {
    return submit(call -> {
      requireOpen().renew(batch, (renewal, result) -> {
        call.heard();
        answers.answer(renewal, result == null ? nothing() : result);
      });
      return true;
    });
  }

  /** Null says nothing, and would be taken for "gone". */
  private RenewalResult nothing() {
    return RenewalResult.failed(new OutcomeUnknownException(
        "the provider '%s' answered null".formatted(config.provider())));
  }

  /**
   * Asks it, together with what other threads ask at that moment if its backend can. The future
   * completes on a thread of this member or on the caller's, or fails with a LockException.
   *
   * @param caller who may ask it itself; null for nobody
   */
  public <T> CompletableFuture<T> ask(
      @Nullable Caller caller, Function<Inquiry, CompletableFuture<T>> question) {
    return !closed && backend instanceof BatchBackend together
        ? batches.ask(together, caller, question)
        : submit(() -> answer(question.apply(new SingleInquiry(requireOpen()))));
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
    return submit(call -> body.get());
  }

  private <T> CompletableFuture<T> submit(Function<Call, T> body) {
    CompletableFuture<T> result = new CompletableFuture<>();
    start(
        () -> {
          Call call = begins();
          try {
            T answer = body.apply(call);
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
      answered.accept(this);
    } else {
      failure = error;
      if (call.isSilentFor(AT_ONCE)) {
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

  /** Whether somebody waits for its answer for too long already. */
  public boolean isSilent() {
    for (Call call : underWay) {
      if (call.isYoung()) {
        break;
      }
      if (call.hangs()) {
        return true;
      }
    }
    return false;
  }

  /** Whether to ask it. One that is not asked is looked after. */
  public boolean isLive() {
    if (isSilent()) {
      return false; // what is under way ends within its own time limit
    }
    if (!out) {
      return true;
    }
    if (System.nanoTime() - askAt >= 0 && probe()) {
      pause = Math.min(LONGEST_PAUSE, 2 * pause);
    }
    return false;
  }

  /** Asks whether it is there. Answers false if that is under way. */
  public boolean probe() {
    if (!probing.compareAndSet(false, true)) {
      return false;
    }
    askAt = System.nanoTime() + pause;
    var unused = join().whenComplete((joined, error) -> probing.set(false));
    return true;
  }

  /** For messages: which member, and what is wrong with it. */
  public String complaint() {
    LockException error = failure;
    String what = error == null ? "does not answer" : String.valueOf(error.getMessage());
    return "member %d (%s): %s".formatted(place + 1, config.provider(), what);
  }

  /** For messages: which member, whose answer nobody waits for any longer. */
  public String silence() {
    return "member %d: no answer within %d ms".formatted(place + 1, SILENT.toMillis());
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

  /** Whether nothing that it is asked from now on gets there. */
  public boolean isClosed() {
    return closed;
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
