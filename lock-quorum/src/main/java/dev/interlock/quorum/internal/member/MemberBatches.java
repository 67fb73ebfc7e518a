package dev.interlock.quorum.internal.member;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.BatchBackend;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks one member the questions of many threads in one go. A question is sent at once if none is
 * under way; those that come while others are gather, and go together as soon as these are
 * answered. So nobody waits for a crowd, and in a crowd a thread of the member is woken once for
 * many questions, and one look at the member's memory serves all votes before it.
 *
 * <p>While there is no crowd, a few callers send their questions and read the answers themselves,
 * so that no thread is woken at all.
 *
 * <p>A batch that hangs holds up only what gathers behind it at that moment: after a short time the
 * next question takes what has gathered along, on another thread. Thread-safe.
 */
final class MemberBatches {
  /** What one thread reads for others it delays them by. */
  private static final int MOST = 64;

  /** So many callers may ask it themselves at a time; more are a crowd. */
  private static final int FEW = 4;

  /** After so many batches without a crowd. */
  private static final int ENOUGH = 16;

  private static final String NO_ANSWER = "the member did not answer this question";

  private final Member member;

  /** Who is under way for so long is not waited for, in nanoseconds. */
  private volatile long patience = TimeUnit.MILLISECONDS.toNanos(20);

  /**
   * Who answers within this time is asked by its callers themselves, in nanoseconds: that is as
   * long as one of them waits for nothing if the member falls silent.
   */
  private volatile long soon = TimeUnit.MILLISECONDS.toNanos(2);

  /**
   * How many of the last batches were of few questions and answered soon, one after the other. Only
   * to choose the cheaper way: it may be off by a few.
   */
  private volatile int quiet;

  // Guarded by this.
  private final Deque<Question<?>> gathered = new ArrayDeque<>();
  private final Set<Sender> senders = new HashSet<>();

  MemberBatches(Member member) {
    this.member = member;
  }

  /** For tests, whose members answer soon however busy the machine is. */
  void expectsWithin(Duration longest) {
    soon = longest.toNanos();
  }

  /** For tests, which take longer to ask where the machine is busy. */
  void waitsFor(Duration longest) {
    patience = longest.toNanos();
  }

  /** A thread that asks the member, and since when it awaits the present answers. */
  private static final class Sender {
    private long since = System.nanoTime();

    boolean hangs(long now, long patience) {
      return now - since > patience;
    }
  }

  /** What one thread wants to know. */
  private final class Question<T> {
    private final Function<Inquiry, CompletableFuture<T>> body;
    private final CompletableFuture<T> answer = new CompletableFuture<>();
    private @Nullable Call call;

    Question(Function<Inquiry, CompletableFuture<T>> body) {
      this.body = body;
    }

    void ask(Inquiry inquiry) {
      call = member.begins();
      CompletableFuture<T> result;
      try {
        result = body.apply(inquiry);
      } catch (RuntimeException e) {
        result = CompletableFuture.failedFuture(e);
      }
      var unused = result.whenComplete(this::end);
    }

    /** Only the first end counts. */
    void end(@Nullable T value, @Nullable Throwable error) {
      if (answer.isDone()) {
        return;
      }
      LockException failure = error == null ? null : Round.failure(error);
      if (call != null) {
        member.ended(call, failure);
      }
      if (failure == null) {
        answer.complete(value);
      } else {
        answer.completeExceptionally(failure);
      }
    }
  }

  /**
   * Asks, or has it asked. Does not block. The future completes on a thread of the member, or on
   * the caller's, while that reads.
   */
  <T> CompletableFuture<T> ask(
      BatchBackend backend, @Nullable Caller caller, Function<Inquiry, CompletableFuture<T>> body) {
    Question<T> question = new Question<>(body);
    Caller reader = caller != null && quiet >= ENOUGH && caller.isHere() ? caller : null;
    Sender sender = gather(question, reader != null);
    if (sender != null && reader != null) {
      List<Question<?>> batch = take(sender);
      if (!batch.isEmpty()) {
        new Sent(sender, backend, batch).begin(reader);
      }
    } else if (sender != null) {
      goOn(sender, backend);
    }
    return question.answer;
  }

  /** Adds a question, and returns who is to send it; null if one who answers soon will. */
  private synchronized @Nullable Sender gather(Question<?> question, boolean byCaller) {
    gathered.add(question);
    long now = System.nanoTime();
    boolean isOneOfFew = byCaller && senders.size() < FEW;
    if (!isOneOfFew && !senders.stream().allMatch(sender -> sender.hangs(now, patience))) {
      if (byCaller) {
        quiet = 0;
      }
      return null;
    }
    Sender next = new Sender();
    senders.add(next);
    return next;
  }

  /** Has a thread of the member send what has gathered. */
  private void goOn(Sender sender, BatchBackend backend) {
    member.start(() -> send(sender, backend), reason -> refuse(sender, reason));
  }

  /** Sends until nothing has gathered. */
  private void send(Sender sender, BatchBackend backend) {
    for (List<Question<?>> batch = take(sender); !batch.isEmpty(); batch = take(sender)) {
      boolean isSoon = new Sent(sender, backend, batch).finish();
      quiet = isSoon && batch.size() <= FEW ? Math.min(ENOUGH, quiet + 1) : 0;
    }
  }

  /** What a sender has taken along. For one thread at a time. */
  final class Sent {
    private final Sender sender;
    private final BatchBackend backend;
    private final List<Question<?>> batch;
    private final long since = System.nanoTime();
    private @Nullable BatchedInquiry inquiry;

    private Sent(Sender sender, BatchBackend backend, List<Question<?>> batch) {
      this.sender = sender;
      this.backend = backend;
      this.batch = batch;
    }

    Member member() {
      return member;
    }

    private BatchedInquiry inquiry() {
      BatchedInquiry asked = inquiry;
      if (asked == null) {
        asked = new BatchedInquiry(backend);
        inquiry = asked;
        for (Question<?> question : batch) {
          question.ask(asked);
        }
      }
      return asked;
    }

    /** Sends it if that can be done at once. Then the caller reads the answers, or leaves them. */
    private void begin(Caller caller) {
      try {
        if (inquiry().send()) {
          caller.reads(this);
          return;
        }
      } catch (Throwable e) { // an Error, too, says nothing of what the server did
        // Not here: the questions of others are among them, and this thread has its own to ask.
        member.start(
            () -> {
              end(e);
              send(sender, backend);
            },
            reason -> {
              end(e);
              refused(reason);
            });
        return;
      }
      member.start(this::finishAndGoOn, this::refused);
    }

    /** Reads the answers if they come soon, else leaves them. */
    void read() {
      boolean answered;
      try {
        answered = inquiry().await(Math.max(1, soon - (System.nanoTime() - since)));
      } catch (Throwable e) { // an Error, too: the member's thread tells of it
        answered = false;
      }
      if (!answered) {
        quiet = 0;
        leave();
        return;
      }
      end(new OutcomeUnknownException(NO_ANSWER));
      if (isMoreGathered(sender)) {
        goOn(sender, backend);
      }
    }

    /** Leaves the answers, and what gathers meanwhile, to a thread of the member. */
    void leave() {
      member.start(this::finishAndGoOn, reason -> {
        var unused = finish(); // it was sent, and nobody else can read the answers
        refused(reason);
      });
    }

    private void refused(BackendUnavailableException reason) {
      end(reason);
      refuse(sender, reason);
    }

    private void finishAndGoOn() {
      var unused = finish();
      send(sender, backend);
    }

    /**
     * Blocks until every question has its answer, whether or not it was sent. Answers whether that
     * was soon.
     */
    private boolean finish() {
      Throwable reason = new OutcomeUnknownException(NO_ANSWER);
      try {
        inquiry().run();
      } catch (Throwable e) { // an Error, too, says nothing of what the server did
        reason = e;
      }
      boolean isSoon = System.nanoTime() - since < soon;
      end(reason);
      return isSoon;
    }

    private void end(Throwable reason) {
      batch.forEach(question -> question.end(null, reason));
    }
  }

  /** No thread could be had. Those that are under way take what has gathered, if there are any. */
  private void refuse(Sender sender, BackendUnavailableException reason) {
    List<Question<?>> left = List.of();
    synchronized (this) {
      senders.remove(sender);
      if (senders.isEmpty()) {
        left = List.copyOf(gathered);
        gathered.clear();
      }
    }
    left.forEach(question -> question.end(null, reason));
  }

  /** Whether there is a next batch; if not, the caller is a sender no more. */
  private synchronized boolean isMoreGathered(Sender sender) {
    if (gathered.isEmpty()) {
      senders.remove(sender);
      return false;
    }
    return true;
  }

  /** The next batch; empty if the caller is a sender no more. */
  private synchronized List<Question<?>> take(Sender sender) {
    List<Question<?>> batch = new ArrayList<>();
    while (batch.size() < MOST && !gathered.isEmpty()) {
      batch.add(gathered.remove());
    }
    if (batch.isEmpty()) {
      senders.remove(sender);
    } else {
      sender.since = System.nanoTime();
    }
    return batch;
  }
}
