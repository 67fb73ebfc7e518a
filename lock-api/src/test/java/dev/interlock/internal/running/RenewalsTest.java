package dev.interlock.internal.running;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.BackendUnavailableException;
import dev.interlock.CommonOptions;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.LockListener;
import dev.interlock.LockRequest;
import dev.interlock.contract.Undisturbed;
import dev.interlock.internal.engine.HoldIds;
import dev.interlock.internal.engine.StubProvider;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockClients;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several servers behind one backend, of which one is silent. */
@Timeout(30)
class RenewalsTest {
  private static final LockListener NOBODY = new LockListener() {};

  /** Answers at once for those of a server that answers, and keeps the call for the others. */
  private static final class Servers {
    final CountDownLatch silence = new CountDownLatch(1);
    final Queue<List<String>> batches = new ConcurrentLinkedQueue<>();
    final Set<HoldId> underWay = ConcurrentHashMap.newKeySet();
    final AtomicInteger twice = new AtomicInteger();

    void renew(List<Renewal> batch, RenewalAnswers answers) throws InterruptedException {
      batches.add(batch.stream().map(Renewal::name).toList());
      batch.forEach(renewal -> {
        if (!underWay.add(renewal.id())) {
          twice.incrementAndGet();
        }
      });
      boolean silent = false;
      for (Renewal renewal : batch) {
        if (renewal.name().startsWith("silent")) {
          silent = true;
        } else {
          underWay.remove(renewal.id());
          answers.answer(renewal, RenewalResult.held(renewal, 1));
        }
      }
      if (silent) {
        silence.await();
        batch.forEach(renewal -> underWay.remove(renewal.id()));
        throw new BackendUnavailableException("silent");
      }
    }
  }

  private interface Renewing {
    void renew(List<Renewal> batch, RenewalAnswers answers) throws InterruptedException;
  }

  /** A backend that renews like this, and is otherwise a stub. */
  private static LockBackend renewing(Renewing renewing) {
    StubProvider stub = new StubProvider();
    return (LockBackend) Proxy.newProxyInstance(
        LockBackend.class.getClassLoader(),
        new Class<?>[] {LockBackend.class},
        (proxy, method, arguments) -> {
          if (method.getName().equals("renew")) {
            @SuppressWarnings("unchecked")
            List<Renewal> batch = (List<Renewal>) arguments[0];
            renewing.renew(batch, (RenewalAnswers) arguments[1]);
            return null;
          }
          try {
            return method.invoke(stub, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        });
  }

  private static final class Asked implements Renewals.Item {
    final String name;
    final boolean queued;
    final HoldId id;
    final AtomicInteger answers = new AtomicInteger();
    volatile boolean failed;

    Asked(HoldId id, String name, boolean queued) {
      this.name = name;
      this.queued = queued;
      this.id = id;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public HoldId id() {
      return id;
    }

    @Override
    public long needs() {
      return 1_000_000_000;
    }

    @Override
    public boolean isQueued() {
      return queued;
    }

    @Override
    public boolean hasFailed() {
      return failed;
    }

    @Override
    public void renewed(RenewalResult result, long sentAt, long askedFor) {
      answers.incrementAndGet();
    }

    @Override
    public void renewalFailed(LockException error) {
      failed = true;
    }
  }

  private final Servers servers = new Servers();
  private final LockBackend backend = renewing(servers::renew);
  private final ClientThreads threads = new ClientThreads("renewals-test", null);
  private final Renewals renewals =
      new Renewals(new BackendCalls("stub", backend, NOBODY, Clocks.SYSTEM), threads);
  private final HoldIds ids = new HoldIds();

  @AfterEach
  void close() {
    servers.silence.countDown();
    threads.close(TimeUnit.SECONDS.toNanos(5));
  }

  private static void until(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - start).as(what).isLessThan(TimeUnit.SECONDS.toNanos(10));
      LockSupport.parkNanos(1_000_000);
    }
  }

  private Asked submitted(String name, boolean queued) {
    Asked item = new Asked(ids.next(), name, queued);
    renewals.submit(item);
    return item;
  }

  @Test
  @DisplayName("N8 while one server is silent the others are answered, now and in later batches")
  void goesOnBesideSilence() {
    for (int round = 0; round < 5; round++) {
      Asked silent = submitted("silent" + round, false);
      Asked heard = submitted("heard" + round, false);
      until("it is answered", () -> heard.answers.get() == 1);
      assertThat(silent.failed).isFalse();
    }
  }

  @Test
  @DisplayName("N8 an item is in one batch at a time, and is asked for again after it")
  void asksOnceAtATime() {
    Asked silent = submitted("silent", false);
    until("it is sent", () -> servers.batches.size() == 1);
    for (int i = 0; i < 5; i++) {
      renewals.submit(silent);
      Asked heard = submitted("heard" + i, false);
      until("another is answered", () -> heard.answers.get() == 1);
    }
    assertThat(silent.failed).isFalse();
    servers.silence.countDown();
    until(
        "it is sent again",
        () -> servers.batches.stream().filter(batch -> batch.contains("silent")).count() == 2);
    assertThat(servers.twice).hasValue(0);
  }

  @Test
  @DisplayName("N8 holds are renewed before queue entries, whichever came first")
  void takesHoldsFirst() {
    keepSendersWaiting();
    List<Asked> items = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      items.add(submitted("entry" + i, true));
    }
    for (int i = 0; i < 20; i++) {
      items.add(submitted("hold" + i, false));
    }
    assertThat(servers.batches).hasSize(10);
    servers.silence.countDown();
    until("all are answered", () -> items.stream().allMatch(item -> item.answers.get() == 1));
    List<String> next = servers.batches.stream()
        .filter(batch -> batch.contains("hold0"))
        .findFirst()
        .orElseThrow();
    assertThat(next).hasSize(256);
    assertThat(next.subList(0, 20)).allMatch(name -> name.startsWith("hold"));
  }

  @Test
  @DisplayName("N8 a hold and the place in the queue that it came from are both answered")
  void answersHoldBesideItsEntry() {
    HoldId id = ids.next();
    Asked entry = new Asked(id, "x", true);
    Asked hold = new Asked(id, "x", false);
    keepSendersWaiting(); // so that both are there for the next batch
    renewals.submit(entry);
    renewals.submit(hold);
    servers.silence.countDown();
    until("both are answered", () -> hold.answers.get() == 1 && entry.answers.get() == 1);
    renewals.submit(hold);
    until("the hold is renewed again", () -> hold.answers.get() == 2);
  }

  /** Until the silence ends what is submitted waits: every sender has met the silent server. */
  private void keepSendersWaiting() {
    while (servers.batches.size() < 10) {
      int sent = servers.batches.size();
      submitted("silent" + sent, false);
      until("it is sent", () -> servers.batches.size() > sent);
    }
  }

  @Test
  @DisplayName("N8 what had no answer does not take up the senders of the others")
  void keepsFailedApart() {
    for (int i = 0; i < 50; i++) {
      Asked failing = new Asked(ids.next(), "silent" + i, false);
      failing.failed = true;
      renewals.submit(failing);
      LockSupport.parkNanos(2_000_000);
    }
    Asked heard = submitted("heard", false);
    until("it is answered", () -> heard.answers.get() == 1);
    assertThat(servers.batches).hasSizeLessThanOrEqualTo(3);
  }

  @Test
  @DisplayName("a failed renewal is told to listeners apart from the thread that reads the answers")
  void tellsOfFailureElsewhere() throws Exception {
    CountDownLatch told = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    LockListener hanging = new LockListener() {
      @Override
      public void backendError(String operation, String name, LockException error) {
        told.countDown();
        try {
          end.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    };
    LockException fault = new BackendUnavailableException("as planned");
    List<Thread> readers = new CopyOnWriteArrayList<>();
    LockBackend answering = renewing((batch, answers) -> {
      Thread reader = new Thread(
          () -> batch.forEach(item -> answers.answer(item, RenewalResult.failed(fault))));
      readers.add(reader);
      reader.start();
      reader.join();
    });
    Asked item = new Asked(ids.next(), "x", false);
    new Renewals(
            new BackendCalls(
                "stub", answering, new Listeners(List.of(hanging), threads), Clocks.SYSTEM),
            threads)
        .submit(item);
    try {
      assertThat(told.await(5, TimeUnit.SECONDS)).isTrue();
      until("the answer is taken", () -> item.failed);
      readers.get(0).join(5_000);
      assertThat(readers.get(0).isAlive()).isFalse();
    } finally {
      end.countDown();
    }
  }

  @Test
  @DisplayName(
      "N7 a renewal answered with null has failed, and is not gone; the message says whose")
  void takesNullForNoAnswer() {
    Queue<String> told = new ConcurrentLinkedQueue<>();
    LockListener listener = new LockListener() {
      @Override
      public void backendError(String operation, String name, LockException error) {
        told.add(String.valueOf(error.getMessage()));
      }
    };
    LockBackend silly =
        renewing((batch, answers) -> batch.forEach(item -> answers.answer(item, nothing())));
    Asked item = new Asked(ids.next(), "x", false);
    new Renewals(new BackendCalls("acme", silly, listener, Clocks.SYSTEM), threads).submit(item);
    until("the answer is taken", () -> item.failed || item.answers.get() > 0);
    assertThat(item.answers).hasValue(0);
    assertThat(told)
        .containsExactly("the provider 'acme' answered null to the renewal of lock 'x'");
  }

  /** As a backend does whose language knows no better. */
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T nothing() {
    return null;
  }

  @Undisturbed(millis = 300)
  @DisplayName("N8 healthy short leases outlive the silence of another server")
  void keepsShortLeases() throws Exception {
    LockConfig config = LockConfig.builder("stub")
        .set(CommonOptions.LEASE, Duration.ofSeconds(2))
        .build();
    try (LockClient client = LockClients.open(new StubProvider(), config, id -> backend)) {
      List<Lease> healthy = new ArrayList<>();
      List<Lease> silent = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        healthy.add(client.acquire(LockRequest.of("heard" + i)));
        silent.add(client.acquire(LockRequest.of("silent" + i)));
      }
      until("the silent are lost", () -> silent.stream().noneMatch(Lease::isValid));
      TimeUnit.MILLISECONDS.sleep(2_000);
      assertThat(healthy.stream().filter(lease -> !lease.isValid())).isEmpty();
      servers.silence.countDown();
    }
  }
}
