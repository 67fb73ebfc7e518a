package dev.interlock.redis.support;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.spi.Uninterruptibly;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Knows which server is the master of a Sentinel set: the one that most sentinels of the settings
 * name when asked. Thread-safe.
 *
 * <p>One sentinel may be late, or cut off with a master that was deposed, so none is believed
 * alone: what one announces is only a reason to ask all of them. Where no more than half of them
 * agree, the master is left only if it does not say that it is one: for the server that most of
 * those who answer name or, if they disagree, for one of the named servers that says it is one.
 */
public final class SentinelMajority implements AutoCloseable {
  /** How soon sentinels are asked again. */
  private static final Duration PAUSE = Duration.ofMillis(500);

  /** How long the latest answers are good without a fault. */
  private static final Duration FRESH = Duration.ofSeconds(5);

  /** What is asked, by means of a driver. Blocks nowhere. */
  public interface Questions {
    /**
     * Asks a sentinel which server is the master.
     *
     * @param sentinel whom to ask
     * @return its answer, empty if it knows no master of that name; fails if there is none in time
     */
    CompletionStage<Optional<HostPort>> master(HostPort sentinel);

    /**
     * Asks a server whether it is a master.
     *
     * @param server whom to ask
     * @return what it says; fails if it does not say anything in time
     */
    CompletionStage<Boolean> isMaster(HostPort server);
  }

  /** What came of one question. */
  private record Answer<T>(@Nullable T answer, @Nullable Throwable failure) {}

  private final LockConfig config;
  private final List<HostPort> sentinels;
  private final Questions questions;
  private final Consumer<HostPort> listener;
  private final Duration limit;
  private final BackgroundLook looks = new BackgroundLook("interlock-sentinels", PAUSE);
  private volatile @Nullable HostPort master;

  /**
   * Asks nobody yet.
   *
   * @param config names the sentinels and the master
   * @param questions asks them
   * @param listener is told the master after each look, also if it is the same; on any thread
   */
  public SentinelMajority(LockConfig config, Questions questions, Consumer<HostPort> listener) {
    this.config = config;
    this.sentinels = RedisOptions.servers(config).stream().distinct().toList();
    this.questions = questions;
    this.listener = listener;
    this.limit = config
        .get(RedisOptions.CONNECT_TIMEOUT)
        .plus(config.get(RedisOptions.TIMEOUT))
        .plusSeconds(1);
  }

  /**
   * Finds the master, unless it was found before; blocks until most sentinels name the same one, or
   * all have had their time. If they disagree, it is a server that says it is a master, if one of
   * those they name does. Where all fail sooner they are asked once more, as a driver may fail for
   * a moment without a reason.
   *
   * @throws LockConfigurationException if they do not know the master's name
   * @throws BackendUnavailableException if none of them answers
   */
  public void find() {
    if (master != null) {
      return;
    }
    BlockingQueue<Answer<Optional<HostPort>>> heard = ask();
    long deadline = deadline();
    List<Answer<Optional<HostPort>>> answers = take(heard, deadline);
    if (answers.size() == sentinels.size()
        && answers.stream().allMatch(answer -> answer.failure() != null)) {
      answers.addAll(take(ask(), deadline));
    }
    List<HostPort> named = named(answers);
    if (named.isEmpty()) {
      throw unknown(answers);
    }
    HostPort likely = likely(named);
    become(likely != null ? likely : named.get(0));
  }

  private RuntimeException unknown(List<Answer<Optional<HostPort>>> answers) {
    String name = config.get(RedisOptions.MASTER);
    String address = RedisOptions.address(config);
    Throwable failure = null;
    for (Answer<Optional<HostPort>> answer : answers) {
      if (answer.failure() == null) {
        return new LockConfigurationException("The sentinels at " + address + " know no master '"
            + name + "': check the option master");
      }
      failure = answer.failure();
    }
    if (failure == null) {
      return new BackendUnavailableException("None of the sentinels at " + address
          + " said within " + limit.toMillis() + " ms where the master '" + name
          + "' is: they, this machine or the network between may be overloaded or cut off");
    }
    return new BackendUnavailableException(
        "None of the sentinels at " + address + " tells where the master '" + name
            + "' is. Check hosts, ports, tls, sentinelUser and sentinelPassword, and that they run",
        failure);
  }

  /**
   * Returns the server, by the latest answers. Does not block.
   *
   * @return the master, once it was found
   */
  public HostPort master() {
    return Objects.requireNonNull(master, "not found yet");
  }

  /** Tells whether it is time to ask again without any reason. */
  public boolean isStale() {
    return looks.isOlderThan(FRESH);
  }

  /** Has the sentinels asked whether another server is the master by now. Does not block. */
  public void doubt() {
    looks.begin(this::look);
  }

  private void look() {
    BlockingQueue<Answer<Optional<HostPort>>> heard = ask();
    List<HostPort> answers = named(take(heard, deadline()));
    HostPort named = namedByMost(answers, sentinels.size());
    if (named != null) {
      become(named);
      return;
    }
    HostPort current = master();
    if (answers.stream().allMatch(current::equals) || isMaster(current)) {
      return;
    }
    HostPort likely = likely(answers);
    if (likely != null) {
      become(likely);
    }
  }

  /** Null if those who answer disagree and no server says that it is a master. */
  private @Nullable HostPort likely(List<HostPort> answers) {
    HostPort named = namedByMost(answers, answers.size());
    return named != null
        ? named
        : answers.stream().distinct().filter(this::isMaster).findFirst().orElse(null);
  }

  private void become(HostPort named) {
    master = named;
    listener.accept(named);
  }

  private static List<HostPort> named(List<Answer<Optional<HostPort>>> answers) {
    List<HostPort> named = new ArrayList<>();
    for (Answer<Optional<HostPort>> answer : answers) {
      if (answer.answer() != null) {
        answer.answer().ifPresent(named::add);
      }
    }
    return named;
  }

  private static @Nullable HostPort namedByMost(List<HostPort> answers, int of) {
    return answers.stream()
        .filter(answer -> 2 * Collections.frequency(answers, answer) > of)
        .findFirst()
        .orElse(null);
  }

  private BlockingQueue<Answer<Optional<HostPort>>> ask() {
    BlockingQueue<Answer<Optional<HostPort>>> heard = new LinkedBlockingQueue<>();
    sentinels.forEach(sentinel -> tell(heard, () -> questions.master(sentinel)));
    return heard;
  }

  /** Of what has been asked. To ask takes long itself the first time: it loads the driver. */
  private long deadline() {
    return System.nanoTime() + limit.toNanos();
  }

  /** Ends without those that are silent once the others are enough. */
  private List<Answer<Optional<HostPort>>> take(
      BlockingQueue<Answer<Optional<HostPort>>> heard, long deadline) {
    List<Answer<Optional<HostPort>>> answers = new ArrayList<>();
    while (answers.size() < sentinels.size()
        && namedByMost(named(answers), sentinels.size()) == null) {
      Answer<Optional<HostPort>> next = takeNext(heard, deadline);
      if (next == null) {
        break;
      }
      answers.add(next);
    }
    return answers;
  }

  private boolean isMaster(HostPort server) {
    BlockingQueue<Answer<Boolean>> heard = new LinkedBlockingQueue<>();
    tell(heard, () -> questions.isMaster(server));
    Answer<Boolean> said = takeNext(heard, deadline());
    return said != null && Boolean.TRUE.equals(said.answer());
  }

  /** A question that cannot even be asked, as after close, has failed. */
  private static <T> void tell(
      BlockingQueue<Answer<T>> heard, Supplier<CompletionStage<T>> question) {
    try {
      question
          .get()
          .whenComplete((answer, failure) -> heard.add(new Answer<>(answer, cause(failure))));
    } catch (RuntimeException e) {
      heard.add(new Answer<>(null, e));
    }
  }

  private static @Nullable Throwable cause(@Nullable Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  /** Null if nothing comes in time; what has come already is in time. */
  private static <T> @Nullable T takeNext(BlockingQueue<T> queue, long deadline) {
    return Uninterruptibly.await(() -> Optional.ofNullable(
            queue.poll(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS)))
        .orElse(null);
  }

  /** Asks nobody any more. */
  @Override
  public void close() {
    looks.close();
  }
}
