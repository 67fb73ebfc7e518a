package dev.interlock.tck.teststore;

import dev.interlock.Capability;
import dev.interlock.DistributedLock;
import dev.interlock.DistributedReadWriteLock;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.Locks;
import dev.interlock.tck.ClientSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Clients of the store that break what no backend can break, because the engine keeps it: how often
 * a lock was entered, by whom, and how long a lease counts. A public class for each, for the JVMs
 * that the kit forks make one, too.
 */
public final class BrokenClients {
  private BrokenClients() {}

  /** One call of a client, of a lock or of a lease. */
  private interface Call {
    @Nullable
    Object go() throws Throwable;
  }

  /** Passes all on; what is broken overrides a method. */
  private abstract static class Broken implements ClientSource {
    @Override
    public final String id() {
      return getClass().getSimpleName();
    }

    @Override
    public final String version() {
      return "1";
    }

    @Override
    public Set<Capability> capabilities() {
      return EnumSet.of(Capability.RENEWABLE, Capability.FENCED, Capability.PUSH);
    }

    @Override
    public final LockClient open(String uri) {
      LockClient client = Locks.open(uri);
      return proxy(LockClient.class, client, (method, arguments, call) -> {
        Object answer = call.go();
        if (answer instanceof DistributedLock lock) {
          return lock(client, lock);
        }
        if (answer instanceof DistributedReadWriteLock both) {
          return both(both);
        }
        if (answer instanceof Lease lease) {
          return lease(lease);
        }
        if (answer instanceof Optional<?> found && found.orElse(null) instanceof Lease lease) {
          return Optional.of(lease(lease));
        }
        return answer;
      });
    }

    DistributedReadWriteLock both(DistributedReadWriteLock both) {
      return both;
    }

    private DistributedLock lock(LockClient client, DistributedLock lock) {
      return proxy(
          DistributedLock.class,
          lock,
          (method, arguments, call) -> onLock(client, lock, method, arguments, call));
    }

    private Lease lease(Lease lease) {
      Object[] note = new Object[1];
      note[0] = begun(lease);
      return proxy(
          Lease.class, lease, (method, arguments, call) -> onLease(lease, method, note, call));
    }

    @Nullable
    Object begun(Lease lease) {
      return null;
    }

    @Nullable
    Object onLease(Lease lease, Method method, @Nullable Object[] note, Call call)
        throws Throwable {
      return call.go();
    }

    @Nullable
    Object onLock(
        LockClient client,
        DistributedLock lock,
        Method method,
        @Nullable Object @Nullable [] arguments,
        Call call)
        throws Throwable {
      Object answer = call.go();
      return answer instanceof Lease lease ? lease(lease) : answer;
    }
  }

  private interface Handler {
    @Nullable
    Object handle(Method method, @Nullable Object @Nullable [] arguments, Call call)
        throws Throwable;
  }

  private static <T> T proxy(Class<T> type, T target, Handler handler) {
    return type.cast(Proxy.newProxyInstance(
        type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
          if (method.getDeclaringClass() == Object.class) {
            return method.getName().equals("equals")
                ? self == arguments[0]
                : method.invoke(target, arguments);
          }
          return handler.handle(method, arguments, () -> {
            try {
              return method.invoke(target, arguments);
            } catch (InvocationTargetException e) {
              throw e.getCause();
            }
          });
        }));
  }

  /** A thread that looks whether it holds the lock asks the server for it. */
  public static final class AsksWhetherItHolds extends Broken {
    public AsksWhetherItHolds() {}

    @Override
    @Nullable
    Object onLock(
        LockClient client,
        DistributedLock lock,
        Method method,
        @Nullable Object @Nullable [] arguments,
        Call call)
        throws Throwable {
      if (method.getName().equals("isHeldByCurrentThread")) {
        var unused = client.inspect("asked");
        // The store is in this JVM: what the way to a server and back takes.
        LockSupport.parkNanos(20_000);
      }
      return super.onLock(client, lock, method, arguments, call);
    }
  }

  /** A lease is valid until it is released, whatever the time. */
  public static final class ValidForEver extends Broken {
    public ValidForEver() {}

    @Override
    @Nullable
    Object onLease(Lease lease, Method method, @Nullable Object[] note, Call call)
        throws Throwable {
      return switch (method.getName()) {
        case "isValid" -> true;
        case "ensureValid" -> null;
        default -> call.go();
      };
    }
  }

  /** Validity is counted on the monotonic clock alone, which stands still with the machine. */
  public static final class MonotonicOnly extends Broken {
    public MonotonicOnly() {}

    @Override
    Object begun(Lease lease) {
      return System.nanoTime() + lease.remaining().toNanos();
    }

    @Override
    @Nullable
    Object onLease(Lease lease, Method method, @Nullable Object[] note, Call call)
        throws Throwable {
      if (!method.getName().equals("isValid")) {
        return call.go();
      }
      long left = note[0] instanceof Long until ? until - System.nanoTime() : 0;
      return left > 0 || lease.isValid();
    }
  }

  /** A second release says nothing. */
  public static final class SilentSecondRelease extends Broken {
    public SilentSecondRelease() {}

    @Override
    @Nullable
    Object onLease(Lease lease, Method method, @Nullable Object[] note, Call call)
        throws Throwable {
      if (method.getName().equals("release") && note[0] != null) {
        return null;
      }
      Object answer = call.go();
      if (method.getName().equals("release")) {
        note[0] = true;
      }
      return answer;
    }
  }

  /** Any thread may unlock. */
  public static final class AnyThreadUnlocks extends Broken {
    public AnyThreadUnlocks() {}

    @Override
    @Nullable
    Object onLock(
        LockClient client,
        DistributedLock lock,
        Method method,
        @Nullable Object @Nullable [] arguments,
        Call call)
        throws Throwable {
      try {
        return super.onLock(client, lock, method, arguments, call);
      } catch (IllegalMonitorStateException e) {
        if (method.getName().equals("unlock")) {
          return null;
        }
        throw e;
      }
    }
  }

  /** The first exit of several frees the lock. */
  public static final class FirstExitFrees extends Broken {
    public FirstExitFrees() {}

    @Override
    @Nullable
    Object onLock(
        LockClient client,
        DistributedLock lock,
        Method method,
        @Nullable Object @Nullable [] arguments,
        Call call)
        throws Throwable {
      if (method.getName().equals("unlock")) {
        while (lock.holdCount() > 1) {
          lock.unlock();
        }
      }
      return super.onLock(client, lock, method, arguments, call);
    }
  }

  /** A re-entry that fails counts. */
  public static final class CountsFailedEntries extends Broken {
    public CountsFailedEntries() {}

    @Override
    @Nullable
    Object onLock(
        LockClient client,
        DistributedLock lock,
        Method method,
        @Nullable Object @Nullable [] arguments,
        Call call)
        throws Throwable {
      try {
        return super.onLock(client, lock, method, arguments, call);
      } catch (IllegalArgumentException | InterruptedException e) {
        if (lock.isHeldByCurrentThread()) {
          boolean interrupted = Thread.interrupted();
          lock.lock();
          if (interrupted) {
            Thread.currentThread().interrupt();
          }
        }
        throw e;
      }
    }
  }

  /** Each entry has a token of its own. */
  public static final class TokenForEachEntry extends Broken {
    private final Map<String, AtomicInteger> entries = new ConcurrentHashMap<>();

    public TokenForEachEntry() {}

    @Override
    Object begun(Lease lease) {
      return entries.computeIfAbsent(lease.name(), name -> new AtomicInteger()).getAndIncrement();
    }

    @Override
    @Nullable
    Object onLease(Lease lease, Method method, @Nullable Object[] note, Call call)
        throws Throwable {
      Object answer = call.go();
      return method.getName().equals("fencingToken") && note[0] instanceof Integer entry
          ? (Long) answer + entry
          : answer;
    }
  }

  /** A thread that reads waits for itself when it asks for the write lock. */
  public static final class UpgradeWaits extends Broken {
    public UpgradeWaits() {}

    @Override
    public Set<Capability> capabilities() {
      Set<Capability> capabilities = EnumSet.copyOf(super.capabilities());
      capabilities.add(Capability.FAIR);
      capabilities.add(Capability.SHARED);
      return capabilities;
    }

    @Override
    DistributedReadWriteLock both(DistributedReadWriteLock both) {
      return proxy(DistributedReadWriteLock.class, both, (method, arguments, call) -> {
        Object lock = call.go();
        return method.getName().equals("writeLock") ? waiting((DistributedLock) lock) : lock;
      });
    }

    private static DistributedLock waiting(DistributedLock lock) {
      return proxy(DistributedLock.class, lock, (method, arguments, call) -> {
        try {
          return call.go();
        } catch (IllegalStateException e) {
          LockSupport.parkNanos(((Duration) arguments[0]).toNanos());
          return false;
        }
      });
    }
  }
}
