package dev.interlock.spring;

import dev.interlock.Lease;
import dev.interlock.LockListener;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.stereotype.Component;

/** The beans that {@link LockedTest} calls. */
final class LockedBeans {
  private LockedBeans() {}

  /** What the locked methods did, and what they are to wait for. */
  static class Calls {
    final AtomicInteger count = new AtomicInteger();
    volatile CountDownLatch hold = new CountDownLatch(0);
    volatile boolean interrupted;

    void made() {
      count.incrementAndGet();
    }
  }

  record Order(String id) {}

  @Component("keys")
  static class Keys {
    public String of(Order order) {
      return order.id().toLowerCase(Locale.ROOT);
    }
  }

  static class Jobs {
    private final Calls calls;
    private final String region = "eu";

    Jobs(Calls calls) {
      this.calls = calls;
    }

    public String getRegion() {
      return region;
    }

    @Locked(name = "fail", waitFor = "50ms")
    public void fail() {
      calls.made();
    }

    @Locked(name = "skip", onBusy = OnBusy.SKIP)
    public int skipNumber() {
      calls.made();
      return 7;
    }

    @Locked(name = "skip", onBusy = OnBusy.SKIP)
    public Optional<String> skipOptional() {
      calls.made();
      return Optional.of("done");
    }

    @Locked(name = "skip", onBusy = OnBusy.SKIP)
    public List<String> skipList() {
      calls.made();
      return List.of("done");
    }

    @Locked(name = "skip", onBusy = OnBusy.SKIP)
    public CompletableFuture<String> skipFuture() {
      calls.made();
      return CompletableFuture.completedFuture("done");
    }

    @Locked(name = "fall-back", onBusy = OnBusy.FALLBACK, fallback = "instead")
    public String fallBack(String what) {
      calls.made();
      return "locked " + what;
    }

    String instead(String what) {
      return "instead of " + what;
    }

    @Locked(name = "waits", waitFor = "PT10S")
    public long waits() {
      return CurrentLease.get().fencingToken();
    }

    @Locked(name = "fair", waitFor = "10s", fair = true)
    public long fair() {
      return CurrentLease.get().fencingToken();
    }

    @Locked("order-#{#id}-#{@keys.of(#order)}-#{region}-${suffix:x}")
    public String named(int id, Order order) {
      return CurrentLease.get().name();
    }

    @Locked("report-#{#day}-#{#length}")
    public String dated(LocalDate day, Duration length) {
      return CurrentLease.get().name();
    }

    @Locked("order-#{#order.id}")
    public String nullable(Order order) {
      calls.made();
      return CurrentLease.get().name();
    }

    @Locked(name = "instance", scope = LockScope.APPLICATION, waitFor = "0")
    public void instance(Runnable work) {
      calls.made();
      work.run();
    }

    @Locked(name = "throws", lease = "20s")
    public void throwing() {
      throw new IllegalArgumentException("as planned");
    }

    @Locked(name = "loses", lease = "10s")
    public String loses() {
      try {
        calls.hold.await(10, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        calls.interrupted = true;
        Thread.currentThread().interrupt();
      }
      return "finished";
    }

    @Locked(name = "signalled", lease = "10s", onLost = OnLost.SIGNAL)
    public String signalled() throws InterruptedException {
      calls.hold.await(10, TimeUnit.SECONDS);
      calls.interrupted = Thread.currentThread().isInterrupted();
      return "finished";
    }

    @Locked(name = "once", autoRelease = false, atLeast = "600ms", onBusy = OnBusy.SKIP)
    public boolean once(Runnable work) {
      calls.made();
      work.run();
      return true;
    }

    @Locked(name = "three-seconds", autoRelease = false, atLeast = "3s", onBusy = OnBusy.SKIP)
    public boolean threeSeconds(Runnable work) {
      work.run();
      return true;
    }

    @Locked(name = "future")
    public CompletableFuture<String> future(CompletableFuture<String> result) {
      return result;
    }

    @Locked(name = "interruptible", waitFor = "10s")
    public void interruptible() throws InterruptedException {
      calls.made();
    }
  }

  @Locked(name = "by-class", waitFor = "0")
  static class Defaults {
    public String first() {
      return CurrentLease.get().name();
    }

    @Locked(name = "by-method")
    public String second() {
      return CurrentLease.get().name();
    }

    String notPublic() {
      return CurrentLease.find().map(Lease::name).orElse("none");
    }
  }

  /** Knows which locks were waited for. */
  static class Waiting implements LockListener {
    final Set<String> names = ConcurrentHashMap.newKeySet();

    @Override
    public void waiting(String name) {
      names.add(name);
    }
  }
}
