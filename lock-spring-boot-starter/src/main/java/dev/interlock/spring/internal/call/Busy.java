package dev.interlock.spring.internal.call;

import dev.interlock.LockRequest;
import dev.interlock.spring.internal.annotation.LockedMethod;
import dev.interlock.spring.internal.annotation.LockedResults;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.Nullness;

/** What a method gives whose lock is held by another. */
final class Busy {
  private static final Map<Class<?>, Supplier<Object>> EMPTY = Map.ofEntries(
      Map.entry(Optional.class, Optional::empty),
      Map.entry(OptionalInt.class, OptionalInt::empty),
      Map.entry(OptionalLong.class, OptionalLong::empty),
      Map.entry(OptionalDouble.class, OptionalDouble::empty),
      Map.entry(List.class, List::of),
      Map.entry(Set.class, Set::of),
      Map.entry(Collection.class, List::of),
      Map.entry(Iterable.class, List::of),
      Map.entry(Map.class, Map::of));

  private Busy() {}

  static @Nullable Object result(
      LockedCalls shared,
      LockedMethod locked,
      List<LockRequest> requests,
      MethodInvocation invocation)
      throws Throwable {
    return switch (locked.onBusy()) {
      case FAIL ->
        throw shared.strategies().failed(locked, invocation, shared.gate(locked).busy(requests));
      case SKIP -> skipped(locked.method().getReturnType());
      case FALLBACK -> fallback(locked, invocation);
    };
  }

  static @Nullable Object skipped(Class<?> type) {
    Supplier<Object> empty = EMPTY.get(type);
    if (empty != null) {
      return empty.get();
    }
    if (type.isPrimitive() && type != void.class) {
      return Array.get(Array.newInstance(type, 1), 0);
    }
    if (type.isArray()) {
      return Array.newInstance(type.getComponentType(), 0);
    }
    return type != Object.class && type.isAssignableFrom(CompletableFuture.class)
        ? CompletableFuture.completedFuture(null)
        : null;
  }

  /** What a subscription gives that is skipped: nothing, or what is empty in a coroutine. */
  static @Nullable Object skippedSubscription(Method method) {
    if (!KotlinDetector.isSuspendingFunction(method)) {
      return null;
    }
    Class<?> type = LockedResults.suspendResult(method).toClass();
    // To the JVM an Int of Kotlin is an object there, as one that may be null is.
    return skipped(
        Nullness.forMethodReturnType(method) == Nullness.NON_NULL
            ? MethodType.methodType(type).unwrap().returnType()
            : type);
  }

  static @Nullable Object fallback(LockedMethod locked, MethodInvocation invocation)
      throws Throwable {
    Method fallback = locked.fallback();
    if (fallback == null) {
      throw new IllegalStateException("checked at start: " + locked.method());
    }
    return LockedInterceptor.unlocked(() -> AopUtils.invokeJoinpointUsingReflection(
        invocation.getThis(), fallback, invocation.getArguments()));
  }
}
