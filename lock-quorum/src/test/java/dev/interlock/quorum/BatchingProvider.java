package dev.interlock.quorum;

import dev.interlock.CommonOptions;
import dev.interlock.HoldInfo;
import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BatchBackend;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Members in this JVM that answer batches, and what a test does to the batches of one client. */
public final class BatchingProvider extends MembersHere {
  private static final Map<String, Way> OPENED = new ConcurrentHashMap<>();

  /** A client's way to a member. */
  public static Way of(String client, String namespace) {
    return OPENED.computeIfAbsent(client + " " + namespace, any -> new Way());
  }

  /** What happens to the batches of one client to one member. Thread-safe. */
  public static final class Way {
    private final List<Integer> sizes = new CopyOnWriteArrayList<>();
    private volatile Runnable before = () -> {};
    private volatile int answers = Integer.MAX_VALUE;
    private volatile boolean soon;
    private volatile Runnable sending = () -> {};
    private volatile @Nullable Thread reader;

    /** What happens right before a batch reaches the member. */
    public void before(Runnable event) {
      before = event;
    }

    /** After so many answers of a batch the connection breaks, once the member has done it all. */
    public void breaksAfter(int most) {
      answers = most;
    }

    /** Whether answers come soon after what was sent at once; they come to whoever reads them. */
    public void answersSoon(boolean answers) {
      soon = answers;
    }

    /** What happens when a batch is about to be sent at once. */
    public void sending(Runnable event) {
      sending = event;
    }

    /** The thread that has read answers last. */
    public @Nullable Thread reader() {
      return reader;
    }

    /** How many questions of applications each batch had, without the look. */
    public List<Integer> sizes() {
      return List.copyOf(sizes);
    }
  }

  @Override
  public String id() {
    return "batching";
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    String namespace = config.get(CommonOptions.NAMESPACE);
    return new Member(
        context.open("local://?namespace=" + namespace), of(context.client().id(), namespace));
  }

  private record Member(LockBackend sound, Way way) implements Forwarding, BatchBackend {
    @Override
    public Batch batch() {
      return new Gathered(sound, way);
    }
  }

  private static final class Gathered implements BatchBackend.Batch {
    private final LockBackend sound;
    private final Way way;
    private final List<Question<?>> questions = new ArrayList<>();
    private final List<Question<?>> looks = new ArrayList<>();

    Gathered(LockBackend sound, Way way) {
      this.sound = sound;
      this.way = way;
    }

    private record Question<T>(Supplier<T> step, CompletableFuture<T> answer) {
      void run(boolean answered) {
        try {
          T value = step.get();
          if (answered) {
            answer.complete(value);
          } else {
            answer.completeExceptionally(new OutcomeUnknownException("the connection broke"));
          }
        } catch (LockException e) {
          answer.completeExceptionally(e);
        }
      }
    }

    private static <T> CompletableFuture<T> add(List<Question<?>> to, Supplier<T> step) {
      CompletableFuture<T> answer = new CompletableFuture<>();
      to.add(new Question<>(step, answer));
      return answer;
    }

    @Override
    public CompletableFuture<AttemptResult> attempt(Attempt attempt) {
      return add(questions, () -> sound.attempt(attempt));
    }

    @Override
    public CompletableFuture<ReleaseResult> release(Release release) {
      return add(questions, () -> HandOffBackend.release(sound, release));
    }

    @Override
    public CompletableFuture<RenewalResult> renew(Renewal renewal) {
      return add(
          questions, () -> RenewalAnswers.collect(sound, List.of(renewal)).get(0));
    }

    @Override
    public CompletableFuture<Optional<HoldInfo>> inspect(String name) {
      return add(looks, () -> sound.inspect(name));
    }

    @Override
    public boolean send() {
      way.sending.run();
      return way.soon;
    }

    @Override
    public boolean await(long nanos) {
      boolean answered = way.soon;
      if (answered) {
        run();
      }
      return answered;
    }

    @Override
    public void run() {
      way.reader = Thread.currentThread();
      way.sizes.add(questions.size());
      way.before.run();
      List<Question<?>> all = new ArrayList<>(questions);
      all.addAll(looks);
      for (int i = 0; i < all.size(); i++) {
        all.get(i).run(i < way.answers);
      }
    }
  }
}
