package dev.interlock.quorum;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.BatchBackend;
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
 * <p>A batch that hangs holds up only what gathers behind it at that moment: after a short time the
 * next question takes what has gathered along, on another thread. Thread-safe.
 */
final class MemberBatches {
  /** Who is under way for so long is not waited for, in nanoseconds. */
  private static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(20);

  /** What one thread reads for others it delays them by. */
  private static final int MOST = 64;

  private final Member member;

  // Guarded by this.
  private final Deque<Question<?>> gathered = new ArrayDeque<>();
  private final Set<Sender> senders = new HashSet<>();

  MemberBatches(Member member) {
    this.member = member;
  }

  /** A thread that asks the member, and since when it awaits the present answers. */
  private static final class Sender {
    private long since = System.nanoTime();

    boolean hangs(long now) {
      return now - since > PATIENCE;
    }
  }

  /** What one thread wants to know. */
  private final class Question<T> {
    private final Function<Inquiry, CompletableFuture<T>> body;
    private final CompletableFuture<T> answer = new CompletableFuture<>();
    private Member.@Nullable Call call;

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

  /** Asks, or has it asked. Does not block. The future completes on a thread of the member. */
  <T> CompletableFuture<T> ask(BatchBackend backend, Function<Inquiry, CompletableFuture<T>> body) {
    Question<T> question = new Question<>(body);
    Sender sender = gather(question);
    if (sender != null) {
      member.start(() -> send(sender, backend), reason -> refuse(sender, reason));
    }
    return question.answer;
  }

  /** Adds a question, and returns who is to send it; null if one who answers soon will. */
  private synchronized @Nullable Sender gather(Question<?> question) {
    gathered.add(question);
    long now = System.nanoTime();
    if (!senders.stream().allMatch(sender -> sender.hangs(now))) {
      return null;
    }
    Sender next = new Sender();
    senders.add(next);
    return next;
  }

  /** Sends until nothing has gathered. */
  private void send(Sender sender, BatchBackend backend) {
    for (List<Question<?>> batch = take(sender); !batch.isEmpty(); batch = take(sender)) {
      Throwable reason = new OutcomeUnknownException("the member did not answer this question");
      try {
        Inquiry.Together inquiry = new Inquiry.Together(backend);
        batch.forEach(question -> question.ask(inquiry));
        inquiry.run();
      } catch (Throwable e) { // an Error, too, says nothing of what the server did
        reason = e;
      }
      for (Question<?> question : batch) {
        question.end(null, reason);
      }
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
