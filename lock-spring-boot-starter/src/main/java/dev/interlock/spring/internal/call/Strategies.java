package dev.interlock.spring.internal.call;

import dev.interlock.LeaseLostException;
import dev.interlock.LockException;
import dev.interlock.spring.LockFailureStrategy;
import dev.interlock.spring.LockNaming;
import dev.interlock.spring.LockedCall;
import dev.interlock.spring.internal.annotation.LockedMethod;
import dev.interlock.spring.internal.annotation.LockedMethods;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;

/** What the application decides for all annotated methods, as far as it does. */
public final class Strategies {
  private final @Nullable LockNaming naming;
  private final @Nullable LockFailureStrategy failures;

  public Strategies(
      ObjectProvider<LockNaming> naming, ObjectProvider<LockFailureStrategy> failures) {
    this.naming = naming.getIfAvailable();
    this.failures = failures.getIfAvailable();
  }

  /** The names of one call's locks, each once. */
  List<String> names(LockedMethod locked, MethodInvocation invocation) {
    List<String> names = locked.names(invocation.getThis(), invocation.getArguments());
    if (naming == null) {
      return names;
    }
    LockedCall call = call(locked, invocation);
    return names.stream().map(name -> naming.name(call, name)).distinct().toList();
  }

  /** What the caller gets instead of its lock. */
  RuntimeException failed(LockedMethod locked, MethodInvocation invocation, RuntimeException e) {
    boolean lost = e instanceof LeaseLostException; // it was had
    return failures != null && !lost && e instanceof LockException failure
        ? failures.failed(call(locked, invocation), failure)
        : e;
  }

  private static LockedCall call(LockedMethod locked, MethodInvocation invocation) {
    Object target = invocation.getThis();
    Class<?> type = target == null || LockedMethods.isMadeOfInterface(target.getClass())
        ? locked.method().getDeclaringClass()
        : AopUtils.getTargetClass(target);
    List<@Nullable Object> arguments = new ArrayList<>();
    for (Object argument : invocation.getArguments()) {
      arguments.add(argument); // which may be null
    }
    return new LockedCall(locked.method(), type, Collections.unmodifiableList(arguments));
  }
}
