package dev.interlock.tck.internal.spi;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.BatchBackend;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Stands between whoever calls a backend and the backend, and tells a trace of each call and each
 * event. It changes nothing that is asked or answered. Thread-safe.
 */
public final class TracedBackend implements InvocationHandler {
  /** How much is told of a batch. */
  private static final int MOST_OF_BATCH = 3;

  /** How many answers to a batch are kept, to tell some of them. */
  private static final int MOST_NOTED = 200;

  private static final int LONGEST = 300;

  private final Object target;
  private final String client;
  private final SpiTrace trace;

  private TracedBackend(Object target, String client, SpiTrace trace) {
    this.target = target;
    this.client = client;
    this.trace = trace;
  }

  /**
   * Puts one before a backend. What a {@link BatchBackend} carries in one go is not told.
   *
   * @param client who calls it, for the trace
   */
  public static LockBackend of(LockBackend backend, String client, SpiTrace trace) {
    Class<?>[] types = Stream.of(LockBackend.class, HandOffBackend.class, BatchBackend.class)
        .filter(type -> type.isInstance(backend))
        .toArray(Class<?>[]::new);
    return (LockBackend) traced(types, backend, client, trace);
  }

  private static Object traced(Class<?>[] types, Object target, String client, SpiTrace trace) {
    return Proxy.newProxyInstance(
        TracedBackend.class.getClassLoader(), types, new TracedBackend(target, client, trace));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (method.getDeclaringClass() == Object.class) {
      return method.getName().equals("equals")
          ? arguments != null && arguments[0] == proxy
          : call(method, arguments);
    }
    Object[] given = arguments == null ? new Object[0] : arguments.clone();
    NotedAnswers answers = null;
    for (int i = 0; i < given.length; i++) {
      if (given[i] instanceof BackendEvents events) {
        given[i] =
            traced(new Class<?>[] {BackendEvents.class}, events, "event for " + client, trace);
      } else if (given[i] instanceof RenewalAnswers listener) {
        answers = new NotedAnswers(listener);
        given[i] = answers;
      }
    }
    SpiTrace.Entry entry = trace.begin(
        client, () -> Locks.of(Arrays.asList(given)), lock -> text(method, given, lock));
    Object answer;
    try {
      answer = call(method, given);
    } catch (Throwable t) {
      trace.end(entry, told(answers, "threw " + t));
      throw t;
    }
    boolean isSilent = method.getReturnType() == void.class;
    trace.end(entry, isSilent ? told(answers, "returned") : lock -> text(answer, lock));
    return answer;
  }

  private static SpiTrace.Told told(@Nullable NotedAnswers answers, String end) {
    return lock -> (answers == null ? "" : answers.words(lock)) + shortened(end);
  }

  /** Hands the answers of a batch on, and keeps the first ones. */
  private static final class NotedAnswers implements RenewalAnswers {
    private record Noted(Renewal renewal, RenewalResult result) {}

    private final RenewalAnswers listener;
    private final Queue<Noted> first = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();

    NotedAnswers(RenewalAnswers listener) {
      this.listener = listener;
    }

    @Override
    public void answer(Renewal renewal, RenewalResult result) {
      if (count.incrementAndGet() <= MOST_NOTED) {
        first.add(new Noted(renewal, result));
      }
      listener.answer(renewal, result);
    }

    String words(String lock) {
      List<Noted> told = part(List.copyOf(first), lock, noted -> Locks.of(noted.renewal()));
      String words = told.stream()
          .map(noted -> text(noted.result(), lock) + "; ")
          .collect(Collectors.joining());
      return count.get() > told.size() ? words + count + " answers in all; " : words;
    }
  }

  /** Those of a batch that are told: about a lock if there are any, and otherwise the first. */
  private static <T> List<T> part(List<T> batch, String lock, Function<T, Set<String>> locks) {
    List<T> wanted =
        batch.stream().filter(each -> locks.apply(each).contains(lock)).toList();
    return (wanted.isEmpty() ? batch : wanted).stream().limit(MOST_OF_BATCH).toList();
  }

  private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static String text(Method method, Object[] arguments, String lock) {
    return Stream.of(arguments)
        .filter(argument ->
            !(argument instanceof RenewalAnswers) && !(argument instanceof BackendEvents))
        .map(argument -> text(argument, lock))
        .collect(Collectors.joining(", ", method.getName() + "(", ")"));
  }

  private static String text(@Nullable Object value, String lock) {
    if (value instanceof Attempt attempt) {
      return of(attempt);
    }
    if (value instanceof Renewal renewal) {
      return "%s id=%s lease=%s%s"
          .formatted(
              renewal.name(), renewal.id(), renewal.lease(), renewal.queued() ? " queued" : "");
    }
    if (value instanceof Grant grant) {
      return "granted, token " + grant.fencingToken()
          + (grant.tokens() == 1 ? "" : " and " + (grant.tokens() - 1) + " more")
          + (grant.heirs().isEmpty() ? "" : ", heirs " + grant.heirs());
    }
    if (value instanceof RenewalResult.Failed failed) {
      return "failed: " + text(failed.error(), lock);
    }
    if (value instanceof List<?> batch) {
      List<?> told = part(batch, lock, Locks::of);
      String more = batch.size() > told.size() ? "; and more, %d in all]" : "]";
      return told.stream()
          .map(entry -> text(entry, lock))
          .collect(Collectors.joining("; ", "[", more.formatted(batch.size())));
    }
    if (value instanceof Optional<?> found) {
      return found.map(inner -> text(inner, lock)).orElse("empty");
    }
    return shortened(String.valueOf(value));
  }

  private static String shortened(String text) {
    String words = text.lines().findFirst().orElse("");
    return words.length() > LONGEST ? words.substring(0, LONGEST) + "..." : words;
  }

  /** Only what makes it other than the simplest attempt. */
  private static String of(Attempt attempt) {
    StringBuilder words = new StringBuilder(attempt.name());
    words.append(" id=").append(attempt.id()).append(" lease=").append(attempt.lease());
    words.append(attempt.waits() ? " patience=" + attempt.patience() : "");
    words.append(attempt.fair() ? " fair" : "");
    words.append(attempt.sharedOwner() ? " owner=" + attempt.owner() : "");
    words.append(attempt.tokens() == 1 ? "" : " tokens=" + attempt.tokens());
    if (attempt.capacity() != 1) {
      words.append(" units=").append(attempt.units()).append(" of ").append(attempt.capacity());
    }
    return words + (attempt.beside() == null ? "" : " beside=" + attempt.beside());
  }
}
