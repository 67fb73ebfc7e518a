package dev.interlock.spring.test;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.LockListener;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.LostReason;
import dev.interlock.local.LocalLocks;
import dev.interlock.local.LocalSpace;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** One client of the application under test, and another of the same locks. */
final class LocalClient implements AutoCloseable {
  private final String bean;
  private final LockClient application;
  private final LockClient other;
  private final Heard heard = new Heard();
  private final Queue<Lease> held = new ConcurrentLinkedQueue<>();

  LocalClient(String bean, UnaryOperator<LockConfig> configuring) {
    this.bean = bean;
    LocalSpace space = LocalSpace.create(); // contexts that are cached must not meet in one lock
    LockConfig plain = LockConfig.builder("local").build();
    LockConfig config = configuring.apply(plain).toBuilder().listener(heard).build();
    this.application = LocalLocks.using(space, config);
    this.other = LocalLocks.using(space, plain);
  }

  String bean() {
    return bean;
  }

  LockClient application() {
    return application;
  }

  LockClient other() {
    return other;
  }

  Lease hold(LockRequest request) {
    Lease lease = other
        .tryAcquire(request.withWait(Duration.ZERO))
        .orElseThrow(() -> new LockTimeoutException(
            "lock '%s' is held by the application under test".formatted(request.name())));
    held.add(lease);
    return lease;
  }

  List<String> taken() {
    return List.copyOf(heard.taken);
  }

  void reset() {
    for (Lease lease = held.poll(); lease != null; lease = held.poll()) {
      try {
        lease.close();
      } catch (LockException e) {
        // The test took it away.
      }
    }
    heard.holds.keySet().forEach(this::free);
    heard.taken.clear();
  }

  /**
   * Frees the lock of a once-only job that has ended. What the application still holds is its own
   * business, and is looked at again after the next test.
   */
  private void free(Hold hold) {
    boolean ended = Boolean.TRUE.equals(heard.holds.get(hold));
    // For the server that of a waiter whom the application passed the lock to may be the same hold.
    if (ended && !heard.isAtWork(hold.name())) {
      other.forceRelease(hold.name(), hold.token());
    }
    if (ended || !isHeld(hold)) {
      heard.holds.remove(hold);
    }
  }

  private boolean isHeld(Hold hold) {
    return other.inspect(hold.name()).stream()
        .flatMap(first -> Stream.concat(Stream.of(first), first.others().stream()))
        .anyMatch(info -> info.fencingToken() == hold.token());
  }

  @Override
  public void close() {
    other.close(); // the application's own is a bean
  }

  private record Hold(String name, long token) {}

  private static final class Heard implements LockListener {
    private final List<String> taken = new CopyOnWriteArrayList<>();

    /** Those that may be there yet, and whether their work has ended. */
    private final Map<Hold, Boolean> holds = new ConcurrentHashMap<>();

    @Override
    public void acquired(String name, long fencingToken, Duration waited) {
      taken.add(name);
      holds.put(new Hold(name, fencingToken), false);
    }

    @Override
    public void released(String name, long fencingToken, Duration time) {
      ended(name, fencingToken);
    }

    @Override
    public void lost(String name, long fencingToken, LostReason reason) {
      ended(name, fencingToken);
    }

    private boolean isAtWork(String name) {
      return holds.entrySet().stream()
          .anyMatch(entry -> entry.getKey().name().equals(name) && !entry.getValue());
    }

    private void ended(String name, long fencingToken) {
      holds.replace(new Hold(name, fencingToken), true);
    }
  }
}
