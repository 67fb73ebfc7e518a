package dev.interlock.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.CommonOptions;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockListener;
import dev.interlock.LockRequest;
import dev.interlock.LostReason;
import dev.interlock.contract.Undisturbed;
import dev.interlock.spi.LockClients;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ListenersTest {
  private static final Duration LEASE = Duration.ofSeconds(2);

  private final StubProvider stub = new StubProvider();

  private LockClient open(LockListener listener) {
    return open(listener, LEASE);
  }

  private LockClient open(LockListener listener, Duration lease) {
    LockConfig config = LockConfig.builder("stub")
        .set(CommonOptions.LEASE, lease)
        .listener(listener)
        .build();
    return LockClients.open(stub, config, context -> stub);
  }

  /** Notes what it hears and where, and hangs in the first renewal or loss. */
  private static final class Hanging implements LockListener {
    final CountDownLatch hangs = new CountDownLatch(1);
    final CountDownLatch end = new CountDownLatch(1);
    final List<String> heard = new CopyOnWriteArrayList<>();
    final Set<String> threads = Collections.newSetFromMap(new ConcurrentHashMap<>());

    private void hang(String event) {
      threads.add(Thread.currentThread().getName().replaceAll("-[0-9a-f]+-\\d+$", ""));
      hangs.countDown();
      try {
        end.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      heard.add(event);
    }

    @Override
    public void renewed(String name, long fencingToken, Duration lease) {
      hang("renewed " + name);
    }

    @Override
    public void lost(String name, long fencingToken, LostReason reason) {
      hang("lost " + name);
    }

    @Override
    public void released(String name, long fencingToken, Duration held) {
      heard.add("released " + name);
    }

    @Override
    public void acquired(String name, long fencingToken, Duration waited) {
      heard.add("acquired " + name);
    }
  }

  /** Renewals go on: each was renewed once more, a second from now. */
  private static void awaitRenewals(Lease... leases) throws InterruptedException {
    long end = System.nanoTime() + LEASE.plusSeconds(1).toNanos();
    for (Lease lease : leases) {
      while (lease.isValid() && System.nanoTime() + lease.remaining().toNanos() - end < 0) {
        TimeUnit.MILLISECONDS.sleep(10);
      }
      assertThat(lease.isValid()).isTrue();
    }
  }

  @Undisturbed(millis = 300)
  @DisplayName(
      "a listener that hangs when a lease is renewed or lost holds up neither timer nor renewals")
  void hangsAlone() throws Exception {
    Hanging listener = new Hanging();
    try (LockClient client = open(listener);
        AutoCloseable goesOn = listener.end::countDown) {
      Lease first = client.acquire(LockRequest.of("first"));
      Lease fixed = client.acquire(LockRequest.of("f").withLease(Duration.ofMillis(300)));
      assertThat(listener.hangs.await(5, TimeUnit.SECONDS)).isTrue();
      Lease second = client.acquire(LockRequest.of("second"));
      fixed.lost().toCompletableFuture().get(5, TimeUnit.SECONDS);
      awaitRenewals(first, second);
      first.release();
      second.release();
    }
    assertThat(listener.threads).containsExactly("interlock-notice");
  }

  @Undisturbed(millis = 300)
  @DisplayName("a logger that hangs when a lease is lost holds up neither timer nor renewals")
  void outlivesHangingLogger() throws Exception {
    Hanging hanging = new Hanging();
    Handler handler = new Handler() {
      @Override
      public void publish(LogRecord event) {
        if (event.getMessage().startsWith("Lost the lease")) {
          hanging.hang("logged " + event.getParameters()[0]);
        }
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
    Logger logger = Logger.getLogger("dev.interlock");
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
    logger.setLevel(Level.WARNING); // the tests' settings switch it off
    try (LockClient client = open(new LockListener() {});
        AutoCloseable goesOn = hanging.end::countDown) {
      Lease taken = client.acquire(LockRequest.of("taken"));
      Lease kept = client.acquire(LockRequest.of("kept"));
      stub.forceRelease("taken", 0);
      assertThat(hanging.hangs.await(5, TimeUnit.SECONDS)).isTrue();
      Lease later = client.acquire(LockRequest.of("later"));
      Lease fixed = client.acquire(LockRequest.of("fixed").withLease(Duration.ofMillis(300)));
      fixed.lost().toCompletableFuture().get(5, TimeUnit.SECONDS);
      awaitRenewals(kept, later);
      assertThat(taken.isValid()).isFalse();
      kept.release();
      later.release();
    } finally {
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
      logger.setLevel(Level.OFF);
    }
    assertThat(hanging.heard).containsExactly("logged taken");
    assertThat(hanging.threads).containsExactly("interlock-notice");
  }

  @Undisturbed(millis = 500)
  @DisplayName("what follows from an event is told after it, and everything before close() is over")
  void keepsOrder() throws Exception {
    Hanging listener = new Hanging();
    // On a machine that stands still for a lease the loss would be told, and hang, on this thread.
    try (LockClient client = open(listener, Duration.ofSeconds(3))) {
      Lease lease = client.acquire(LockRequest.of("x"));
      assertThat(listener.hangs.await(5, TimeUnit.SECONDS)).isTrue();
      lease.release();
      client.acquire(LockRequest.of("x")).release();
      assertThat(listener.heard).containsExactly("acquired x");
      listener.end.countDown();
    }
    assertThat(listener.heard.stream().filter(event -> !event.startsWith("renewed")))
        .containsExactly("acquired x", "released x", "acquired x", "released x");
    assertThat(listener.heard.indexOf("renewed x"))
        .isBetween(1, listener.heard.indexOf("released x"));
  }
}
