package dev.interlock.tck.internal.run;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LeaseSet;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Notes by the calls of clients, leases and locks what they hold. Thread-safe. */
final class NotedHolds {
  private final Holdings holdings;

  NotedHolds(Holdings holdings) {
    this.holdings = holdings;
  }

  /** A call that is looked at. */
  interface Call {
    @Nullable
    Object call() throws Throwable;
  }

  /**
   * Makes a call and notes what it comes to.
   *
   * @param lock the name of the lock that is called; empty if it is something else
   * @throws LeaseLostException with the reason among what it suppresses, if a release came too late
   */
  @Nullable
  Object call(Object target, String lock, Method method, Object @Nullable [] arguments, Call call)
      throws Throwable {
    long called = System.nanoTime();
    if (target instanceof Lease lease && isRelease(method)) {
      return release(lease, called, call);
    }
    Object answer = call.call();
    if (target instanceof LockClient && arguments != null) {
      granted(arguments[0], called, answer);
    } else if (target instanceof Lease lease && Boolean.TRUE.equals(answer)) {
      extended(lease, method, arguments, called);
    } else if (target instanceof DistributedLock && Boolean.TRUE.equals(answer)) {
      locked(lock, method, arguments, called);
    }
    return answer;
  }

  private static boolean isRelease(Method method) {
    return method.getName().equals("release") || method.getName().equals("close");
  }

  private @Nullable Object release(Lease lease, long called, Call call) throws Throwable {
    Holdings.Seen seen = holdings.seen(lease.name(), lease);
    holdings.remove(lease.name(), lease);
    try {
      return call.call();
    } catch (LeaseLostException e) {
      if (seen.haveRunOutAt(called)) {
        e.addSuppressed(
            NotReached.tooLate("for the lease on " + lease.name() + " ran out before its release"));
      }
      throw e;
    }
  }

  private void granted(@Nullable Object asked, long called, @Nullable Object answer) {
    if (asked instanceof LockRequest request) {
      if (answer instanceof Lease lease) {
        add(request, called, lease);
      } else if (answer instanceof Optional<?> found && found.orElse(null) instanceof Lease lease) {
        add(request, called, lease);
      } else if (answer instanceof CompletableFuture<?> future) {
        var unused = future.thenAccept(lease -> add(request, called, (Lease) lease));
      }
    } else if (asked instanceof List<?> requests && answer instanceof LeaseSet set) {
      for (Object each : requests) {
        if (each instanceof LockRequest request) {
          add(request, called, set.lease(request.name()));
        }
      }
    }
  }

  private void add(LockRequest request, long called, Lease lease) {
    if (request.isRenewing()) {
      holdings.addRenewed(request.name(), lease, called, request.lease(), lease);
    } else {
      request.lease().ifPresent(asked -> holdings.add(request.name(), lease, called, asked));
    }
  }

  private void locked(String lock, Method method, Object @Nullable [] arguments, long called) {
    if (method.getName().equals("tryLock")
        && arguments != null
        && arguments.length == 2
        && arguments[1] instanceof Duration lease) {
      holdings.add(lock, new Object(), called, lease);
    }
  }

  private void extended(Lease lease, Method method, Object @Nullable [] arguments, long called) {
    if (method.getName().equals("extend")
        && arguments != null
        && arguments[0] instanceof Duration longer) {
      holdings.add(lease.name(), lease, called, longer);
    }
  }
}
