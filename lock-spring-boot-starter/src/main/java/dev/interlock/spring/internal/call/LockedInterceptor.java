package dev.interlock.spring.internal.call;

import dev.interlock.LockRequest;
import dev.interlock.spring.internal.annotation.LockedMethod;
import dev.interlock.spring.internal.annotation.LockedMethods;
import dev.interlock.spring.internal.annotation.LockedResults;
import dev.interlock.spring.internal.lease.Ending;
import dev.interlock.spring.internal.lease.Entry;
import dev.interlock.spring.internal.lease.LeaseScope;
import dev.interlock.spring.internal.lease.LockedWork;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/** Takes the lock, calls the method, gives the lock up. */
public final class LockedInterceptor implements MethodInterceptor {
  private final LockedMethods methods;
  private final Supplier<LockedCalls> calls;

  /**
   * Creates the interceptor.
   *
   * @param calls asked at the first call: an advisor is made before the beans that it needs
   */
  public LockedInterceptor(LockedMethods methods, Supplier<LockedCalls> calls) {
    this.methods = methods;
    this.calls = calls;
  }

  @Override
  public @Nullable Object invoke(MethodInvocation call) throws Throwable {
    if (OuterCall.isLocked(call)) {
      return OuterCall.proceedInner(call);
    }
    MethodInvocation invocation = OuterCall.of(call);
    Object target = invocation.getThis();
    Method method = invocation.getMethod();
    LockedMethod locked = methods.find(method, type(target, method));
    if (locked == null) {
      return call.proceed();
    }
    if (!locked.isLocked(target, invocation.getArguments())) {
      return locked.kind() == LockedMethod.Kind.REACTIVE
          ? ReactiveCall.unlocked(locked, invocation)
          : unlocked(invocation::proceed);
    }
    LockedCalls shared = calls.get();
    List<String> names = shared.strategies().names(locked, invocation);
    if (names.size() > 1) {
      List<LockRequest> requests =
          names.stream().map(name -> shared.request(locked, name)).toList();
      return new SeveralLocks(shared, locked, requests).call(invocation);
    }
    LockRequest request = shared.request(locked, names.get(0));
    return locked.kind() == LockedMethod.Kind.REACTIVE
        ? new ReactiveCall(shared, locked, request, invocation).result()
        : call(shared, locked, request, invocation);
  }

  /** As at the start, where the annotations were looked for. */
  private static Class<?> type(@Nullable Object target, Method method) {
    if (target == null) {
      return method.getDeclaringClass();
    }
    // What the proxy of a repository calls does not know its interface.
    Class<?> given = target.getClass();
    return LockedMethods.isMadeOfInterface(given) ? given : AopUtils.getTargetClass(target);
  }

  /** Lets work run without its lock. */
  static @Nullable Object unlocked(LockedWork<@Nullable Object, Throwable> work) throws Throwable {
    try (LeaseScope scope = LeaseScope.openUnlocked()) {
      return work.run();
    }
  }

  private static @Nullable Object call(
      LockedCalls shared, LockedMethod locked, LockRequest request, MethodInvocation invocation)
      throws Throwable {
    Entry entry;
    try {
      entry = shared.enter(locked, request);
    } catch (RuntimeException e) {
      if (!shared.runsUnguarded(locked, e)) {
        throw shared.strategies().failed(locked, invocation, e);
      }
      return unlocked(invocation::proceed);
    }
    if (entry == null) {
      return Busy.result(shared, locked, List.of(request), invocation);
    }
    LeaseScope scope = LeaseScope.open(entry, locked.interrupts());
    Object result =
        LockedWork.<@Nullable Object, Throwable>run(scope, entry.ending(), invocation::proceed);
    if (result instanceof CompletionStage<?> stage && locked.givesStage()) {
      return Ending.orEnd(entry.ending(), () -> StageCall.endWith(stage, entry, locked, shared));
    }
    entry.ending().end();
    LockedResults.requireFinished(locked.method(), result);
    return result;
  }
}
