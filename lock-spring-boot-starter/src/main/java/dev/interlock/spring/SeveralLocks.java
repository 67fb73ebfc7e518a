package dev.interlock.spring;

import dev.interlock.Lease;
import dev.interlock.LockRequest;
import java.util.ArrayList;
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
    this.requests = requests.stream().map(TransactionLocks::owned).toList();
  }

  @Nullable
  Object call(MethodInvocation invocation) throws Throwable {
    List<Lease> leases;
    try {
      leases = shared.enterAll(locked, requests);
    } catch (RuntimeException e) {
      if (!shared.runsUnguarded(locked, e)) {
        throw shared.strategies().failed(locked, invocation, e);
      }
      return LockedInterceptor.unlocked(invocation::proceed);
    }
    if (leases.isEmpty()) {
      return Busy.result(shared, locked, requests, invocation);
    }
    Ending ending = ending(leases);
    Object result;
    try {
      result = within(leases, leases.size() - 1, invocation);
    } catch (Throwable e) {
      ending.endAfter(e);
      throw e;
    }
    ending.end();
    LockedResults.requireFinished(locked.method(), result);
    return result;
  }

  /** The lease of the first name is the innermost, which {@link CurrentLease#get} gives. */
  private @Nullable Object within(List<Lease> leases, int index, MethodInvocation invocation)
      throws Throwable {
    if (index < 0) {
      return invocation.proceed();
    }
    LeaseScope scope = LeaseScope.open(
        shared.gate(locked).client(), requests.get(index), leases.get(index), locked.interrupts());
    try (scope) {
      return within(leases, index - 1, invocation);
    }
  }

  private Ending ending(List<Lease> leases) {
    List<Ending> endings = new ArrayList<>();
    try {
      for (int i = 0; i < leases.size(); i++) {
        Lease lease = leases.get(i);
        endings.add(shared.gate(locked).ending(requests.get(i), lease, Ending.release(lease)));
      }
    } catch (RuntimeException | Error e) {
      leases.forEach(lease -> Ending.release(lease).endQuietly(lease.name()));
      throw e;
    }
    return () -> endAll(endings);
  }

  /** The last one first. What fails does not keep the others from being given up. */
  private static void endAll(List<Ending> endings) {
    Throwable failure = null;
    for (int i = endings.size() - 1; i >= 0; i--) {
      try {
        endings.get(i).end();
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
