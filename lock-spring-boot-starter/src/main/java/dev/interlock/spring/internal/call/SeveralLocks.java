package dev.interlock.spring.internal.call;

import dev.interlock.LockRequest;
import dev.interlock.spring.CurrentLease;
import dev.interlock.spring.internal.annotation.LockedMethod;
import dev.interlock.spring.internal.annotation.LockedResults;
import dev.interlock.spring.internal.lease.Ending;
import dev.interlock.spring.internal.lease.Entry;
import dev.interlock.spring.internal.lease.LeaseScope;
import java.util.List;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** A call that takes several locks, all or none. */
final class SeveralLocks {
  private final LockedCalls shared;
  private final LockedMethod locked;
  private final List<LockRequest> requests;

  /**
   * Creates it for one call.
   *
   * @param requests one for each name
   */
  SeveralLocks(LockedCalls shared, LockedMethod locked, List<LockRequest> requests) {
    this.shared = shared;
    this.locked = locked;
    this.requests = requests;
  }

  @Nullable
  Object call(MethodInvocation invocation) throws Throwable {
    List<Entry> entries;
    try {
      entries = shared.enterAll(locked, requests);
    } catch (RuntimeException e) {
      if (!shared.runsUnguarded(locked, e)) {
        throw shared.strategies().failed(locked, invocation, e);
      }
      return LockedInterceptor.unlocked(invocation::proceed);
    }
    if (entries.isEmpty()) {
      return Busy.result(shared, locked, requests, invocation);
    }
    Ending ending = () -> endAll(entries);
    Object result;
    try {
      result = within(entries, entries.size() - 1, invocation);
    } catch (Throwable e) {
      ending.endAfter(e);
      throw e;
    }
    ending.end();
    LockedResults.requireFinished(locked.method(), result);
    return result;
  }

  /** The lease of the first name is the innermost, which {@link CurrentLease#get} gives. */
  private @Nullable Object within(List<Entry> entries, int index, MethodInvocation invocation)
      throws Throwable {
    if (index < 0) {
      return invocation.proceed();
    }
    try (LeaseScope scope = LeaseScope.open(entries.get(index), locked.interrupts())) {
      return within(entries, index - 1, invocation);
    }
  }

  /** The last one first. What fails does not keep the others from being given up. */
  private static void endAll(List<Entry> entries) {
    Throwable failure = null;
    for (int i = entries.size() - 1; i >= 0; i--) {
      try {
        entries.get(i).ending().end();
      } catch (RuntimeException | Error e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
  }
}
