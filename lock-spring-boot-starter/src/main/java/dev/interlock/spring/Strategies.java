package dev.interlock.spring;

import dev.interlock.LeaseLostException;
import dev.interlock.LockException;
import java.util.List;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/** What the application decides for all annotated methods, as far as it does. */
final class Strategies {
  private final @Nullable LockNaming naming;
  private final @Nullable LockFailureStrategy failures;

  Strategies(ObjectProvider<LockNaming> naming, ObjectProvider<LockFailureStrategy> failures) {
    this.naming = naming.getIfAvailable();
    this.failures = failures.getIfAvailable();
  }

  /** The names of one call's locks, each once. */
  List<String> names(LockedMethod locked, MethodInvocation invocation) {
    List<String> names = locked.names(invocation.getThis(), invocation.getArguments());
    if (naming == null) {
      return names;
    }
    LockedCall call = LockedCall.of(locked, invocation);
    return names.stream().map(name -> naming.name(call, name)).distinct().toList();
  }

  /** What the caller gets instead of its lock. */
  RuntimeException failed(LockedMethod locked, MethodInvocation invocation, RuntimeException e) {
    boolean lost = e instanceof LeaseLostException; // it was had
    return failures != null && !lost && e instanceof LockException failure
        ? failures.failed(LockedCall.of(locked, invocation), failure)
        : e;
  }
}
