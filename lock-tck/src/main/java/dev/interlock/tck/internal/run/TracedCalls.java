package dev.interlock.tck.internal.run;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseSet;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tells a trace of the calls of clients, and of those of their leases and locks; and notes what
 * they hold. Thread-safe.
 */
final class TracedCalls {
  private final CallTrace trace;
  private final NotedHolds noted;
  private final AtomicInteger leases = new AtomicInteger();

  TracedCalls(CallTrace trace, Holdings holdings) {
    this.trace = trace;
    this.noted = new NotedHolds(holdings);
  }

  LockClient of(LockClient client, String name) {
    return traced(LockClient.class, client, name);
  }

  private <T> T traced(Class<T> type, T target, String name) {
    return traced(type, target, name, "");
  }

  private <T> T traced(Class<T> type, T target, String name, String lock) {
    Handler handler = new Handler(target, name, lock);
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  /** What a client, a lease or a lock is asked for. */
  private final class Handler implements InvocationHandler {
    private final Object target;
    private final String name;
    private final String lock;
    private @Nullable CompletionStage<?> tracedLoss;

    Handler(Object target, String name, String lock) {
      this.target = target;
      this.name = name;
      this.lock = lock;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
        throws Throwable {
      if (method.getDeclaringClass() == Object.class) {
        return method.getName().equals("equals")
            ? arguments != null && arguments[0] == proxy
            : call(method, arguments);
      }
      if (target instanceof LockClient client && method.getName().equals("lock")) {
        String asked = String.valueOf(arguments == null ? null : arguments[0]);
        String told = name + " lock(" + asked + ")";
        return traced(DistributedLock.class, client.lock(asked), told, asked);
      }
      CallTrace.Entry entry = trace.begin(name + thread() + " " + text(method, arguments));
      Object answer;
      try {
        answer = noted.call(target, lock, method, arguments, () -> call(method, arguments));
      } catch (Throwable t) {
        trace.end(entry, "threw " + t);
        throw t;
      }
      return handOut(entry, answer);
    }

    private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
      try {
        return method.invoke(target, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }

    private @Nullable Object handOut(CallTrace.Entry entry, @Nullable Object answer) {
      if (answer instanceof Lease lease) {
        String leased = nameLease();
        trace.end(entry, leased);
        return traced(Lease.class, lease, leased);
      }
      if (answer instanceof LeaseSet leaseSet) {
        String leased = nameLease();
        trace.end(entry, leased);
        return traced(LeaseSet.class, leaseSet, leased);
      }
      if (answer instanceof Optional<?> found && found.orElse(null) instanceof Lease lease) {
        String leased = nameLease();
        trace.end(entry, leased);
        return Optional.of(traced(Lease.class, lease, leased));
      }
      if (answer instanceof CompletableFuture<?> future && target instanceof LockClient) {
        String leased = nameLease();
        trace.end(entry, "a future of " + leased);
        return new TracedFuture(future, leased);
      }
      if (answer instanceof CompletionStage<?> loss) {
        trace.end(entry, "a stage");
        return told(loss);
      }
      trace.end(entry, answer == null ? "returned" : answer.toString());
      return answer;
    }

    /** The same stage each time, which completes when the loss is in the trace already. */
    private synchronized CompletionStage<?> told(CompletionStage<?> loss) {
      if (tracedLoss == null) {
        tracedLoss = loss.whenComplete(
            (reason, error) -> trace.event(name + " lost: " + (error == null ? reason : error)));
      }
      return tracedLoss;
    }

    private String nameLease() {
      return "lease-" + leases.incrementAndGet();
    }
  }

  /** The future of a lease that is traced; that its caller ends it is passed on. */
  private final class TracedFuture extends CompletableFuture<Lease> {
    private final CompletableFuture<?> origin;

    TracedFuture(CompletableFuture<?> origin, String leased) {
      this.origin = origin;
      var unused = origin.whenComplete((lease, error) -> {
        if (error == null) {
          trace.event(leased + " acquired");
          complete(traced(Lease.class, (Lease) lease, leased));
        } else {
          trace.event(leased + " failed: " + error);
          end(error);
        }
      });
    }

    private void end(Throwable error) {
      if (error instanceof CancellationException) {
        super.cancel(false);
      } else {
        super.completeExceptionally(error);
      }
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
      origin.cancel(mayInterrupt);
      return isCancelled();
    }

    @Override
    public boolean completeExceptionally(Throwable error) {
      return origin.completeExceptionally(error);
    }
  }

  private static String thread() {
    String thread = Thread.currentThread().getName();
    return thread.equals(RuleExecutor.THREAD) ? "" : " on " + thread;
  }

  private static String text(Method method, Object @Nullable [] arguments) {
    String words = arguments == null
        ? ""
        : Stream.of(arguments).map(TracedCalls::text).collect(Collectors.joining(", "));
    return method.getName() + "(" + words + ")";
  }

  private static String text(@Nullable Object argument) {
    if (argument instanceof LockRequest request) {
      StringBuilder words = new StringBuilder(request.name());
      request.lease().ifPresent(lease -> words.append(" lease=").append(lease));
      request.maxWait().ifPresent(wait -> words.append(" wait=").append(wait));
      request.owner().ifPresent(owner -> words.append(" owner=").append(owner));
      request.fairness().ifPresent(fair -> words.append(" fair=").append(fair));
      return words + (request.isRenewing() ? " renewing" : "");
    }
    return argument instanceof List<?> requests
        ? requests.stream().map(TracedCalls::text).collect(Collectors.joining("; ", "[", "]"))
        : String.valueOf(argument);
  }
}
