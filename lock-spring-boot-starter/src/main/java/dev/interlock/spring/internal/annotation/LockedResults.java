package dev.interlock.spring.internal.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;

/**
 * Knows for which results a lock can be held until they are complete. All others whose work goes
 * on, or begins, after the method has returned are refused: it would run without the lock.
 */
public final class LockedResults {
  private static final ClassLoader LOADER = LockedResults.class.getClassLoader();
  private static final boolean REACTOR =
      ClassUtils.isPresent("reactor.core.publisher.Flux", LOADER);
  private static final boolean COROUTINES = REACTOR
      && ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", LOADER)
      && ClassUtils.isPresent("kotlin.reflect.full.KClasses", LOADER);

  private static final String FLOW = "kotlinx.coroutines.flow.Flow";

  /** Types whose values stand for work to come, as far as the application has them. */
  static final List<Class<?>> DEFERRED = Stream.of(
          "java.util.concurrent.Future",
          "java.util.concurrent.CompletionStage",
          "java.util.concurrent.Callable",
          "java.util.concurrent.Flow$Publisher",
          "java.util.stream.BaseStream",
          "org.reactivestreams.Publisher",
          "io.reactivex.rxjava3.core.Completable",
          "io.reactivex.rxjava3.core.Maybe",
          "io.reactivex.rxjava3.core.Observable",
          "io.reactivex.rxjava3.core.Single",
          "io.smallrye.mutiny.Uni",
          "io.vertx.core.Future",
          "kotlin.sequences.Sequence",
          "kotlinx.coroutines.Job",
          "kotlinx.coroutines.channels.ReceiveChannel",
          FLOW,
          "org.springframework.web.context.request.async.DeferredResult",
          "org.springframework.web.context.request.async.WebAsyncTask",
          "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
          "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody")
      .flatMap(LockedResults::find)
      .toList();

  /** Types that hold a value which may be of one of those. */
  static final List<Class<?>> WRAPPERS = Stream.of(
          "java.util.Optional",
          "java.util.concurrent.CompletionStage",
          "java.util.concurrent.Future",
          "org.reactivestreams.Publisher",
          "org.springframework.http.HttpEntity")
      .flatMap(LockedResults::find)
      .toList();

  private static final ClassValue<Boolean> IS_DEFERRED = new ClassValue<>() {
    @Override
    protected Boolean computeValue(Class<?> type) {
      return DEFERRED.stream().anyMatch(deferred -> deferred.isAssignableFrom(type));
    }
  };

  private LockedResults() {}

  private static Stream<Class<?>> find(String name) {
    try {
      return Stream.of(ClassUtils.forName(name, LOADER));
    } catch (ClassNotFoundException | LinkageError e) {
      return Stream.empty();
    }
  }

  /** Tells how the result of a method is complete; adds to the faults if that cannot be seen. */
  static LockedMethod.Kind kind(Method method, boolean skips, List<String> faults) {
    if (KotlinDetector.isSuspendingFunction(method)) {
      if (!COROUTINES) {
        faults.add("a suspend function needs kotlinx-coroutines-reactor and kotlin-reflect");
      }
      ResolvableType value = suspendResult(method);
      if (IS_DEFERRED.get(value.toClass()) && !value.toClass().getName().equals(FLOW)) {
        faults.add(refusal(value.toClass()));
      }
      checkParts(value, new HashSet<>(), faults);
      return LockedMethod.Kind.REACTIVE;
    }
    ResolvableType result = ResolvableType.forMethodReturnType(method);
    checkParts(result, new HashSet<>(), faults);
    Class<?> type = method.getReturnType();
    if (REACTOR && Reactive.isReactive(type)) {
      if (skips && !Reactive.canBeEmpty(type)) {
        faults.add("onBusy=SKIP needs a result that can be empty; it returns " + type.getName());
      }
      return LockedMethod.Kind.REACTIVE;
    }
    if (IS_DEFERRED.get(type) && !isStage(type) && !isResultOfAsync(method)) {
      faults.add(refusal(type));
    }
    return LockedMethod.Kind.CALL;
  }

  /** Looks at each type once: one may be a part of itself. */
  private static void checkParts(ResolvableType result, Set<Type> seen, List<String> faults) {
    Class<?> type = result.toClass();
    boolean wraps = WRAPPERS.stream().anyMatch(wrapper -> wrapper.isAssignableFrom(type));
    if (!wraps || !seen.add(result.getType())) {
      return;
    }
    for (ResolvableType part : result.getGenerics()) {
      if (IS_DEFERRED.get(part.toClass())) {
        faults.add(refusal(part.toClass()) + ", also within a " + type.getSimpleName());
      }
      checkParts(part, seen, faults);
    }
  }

  /** Whether what is given for a stage fits in. */
  private static boolean isStage(Class<?> type) {
    return CompletionStage.class.isAssignableFrom(type)
        && type.isAssignableFrom(CompletableFuture.class);
  }

  /** A future of a method that runs on another thread is complete when that method is. */
  private static boolean isResultOfAsync(Method method) {
    return method.getReturnType() == Future.class
        && (AnnotatedElementUtils.hasAnnotation(method, Async.class)
            || AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), Async.class));
  }

  private static String refusal(Class<?> type) {
    return "it returns a %s, for whose end a lock cannot be held; return what it stands for, or a"
            .formatted(type.getSimpleName())
        + " CompletionStage, CompletableFuture, Mono or Flux";
  }

  /**
   * Looks at what a method returned that was to be complete by then.
   *
   * @throws IllegalStateException if its work has not ended, so that the lock could not be held
   */
  public static void requireFinished(Method method, @Nullable Object result) {
    String unfinished = unfinished(result);
    if (unfinished != null) {
      throw new IllegalStateException("%s on %s: %s"
          .formatted(LockAnnotation.labelOf(method), LockedMethods.describe(method), unfinished));
    }
  }

  private static @Nullable String unfinished(@Nullable Object result) {
    if (result == null || !IS_DEFERRED.get(result.getClass())) {
      return null;
    }
    // A copy of one that does not tell its state, as that of completedStage.
    Object told =
        result instanceof CompletableFuture<?> given ? given.toCompletableFuture() : result;
    if (told instanceof Future<?> future) {
      if (future.isDone()) {
        return null;
      }
      future.cancel(true);
    }
    return refusal(result.getClass()) + ", and declare it";
  }

  /** The type that a suspend function declares: its continuation takes it. */
  public static ResolvableType suspendResult(Method method) {
    return ResolvableType.forMethodParameter(method, method.getParameterCount() - 1)
        .getGeneric(0);
  }

  /** Loaded only in an application with Reactor. */
  public static final class Reactive {
    private static final ReactiveAdapterRegistry ADAPTERS =
        ReactiveAdapterRegistry.getSharedInstance();

    private Reactive() {}

    static boolean isReactive(Class<?> type) {
      ReactiveAdapter adapter = adapter(type);
      return adapter != null && adapter.getReactiveType() != CompletionStage.class;
    }

    static boolean canBeEmpty(Class<?> type) {
      ReactiveAdapter adapter = adapter(type);
      return adapter != null && adapter.supportsEmpty();
    }

    /** Not that of a supertype: what is made of a publisher would not be of the declared type. */
    private static @Nullable ReactiveAdapter adapter(Class<?> type) {
      ReactiveAdapter adapter = ADAPTERS.getAdapter(type);
      return adapter != null
              && (adapter.getReactiveType() == type || type.isAssignableFrom(Flux.class))
          ? adapter
          : null;
    }

    public static boolean isMulti(Method method) {
      if (KotlinDetector.isSuspendingFunction(method)) {
        return new MethodParameter(method, -1).getParameterType().getName().equals(FLOW);
      }
      return adapterOf(method).isMultiValue();
    }

    public static Publisher<?> toPublisher(Method method, @Nullable Object result) {
      if (result == null) {
        return Flux.empty();
      }
      return result instanceof Publisher<?> publisher
          ? publisher
          : adapterOf(method).toPublisher(result);
    }

    /** Spring makes of a publisher what a suspend function gives. */
    public static Object fromPublisher(Method method, Publisher<?> publisher) {
      return KotlinDetector.isSuspendingFunction(method)
          ? publisher
          : adapterOf(method).fromPublisher(publisher);
    }

    private static ReactiveAdapter adapterOf(Method method) {
      return Objects.requireNonNull(adapter(method.getReturnType()), "checked at start");
    }
  }
}
