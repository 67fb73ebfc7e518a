package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockListener;
import dev.interlock.LockTimeoutException;
import dev.interlock.LostReason;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;

/** Beans whose calls of one lock are nested in one another, and what listeners hear of them. */
@Timeout(60)
abstract class NestedCalls {
  static ConfigurableApplicationContext context;
  static LockClient client;
  static LockTemplate template;
  static Outer outer;
  static Inner inner;
  static Heard heard;
  static TransactionTemplate transaction;
  static TransactionTemplate other;

  static class Outer {
    @Locked(name = "x", waitFor = "50s")
    public void around(Runnable work) {
      work.run();
    }

    @Locked(name = "x", waitFor = "50s", lease = "30s")
    public void fixed(Runnable work) {
      work.run();
    }

    @LockedJob(name = "x", atLeast = "30s")
    public boolean once(Runnable work) {
      work.run();
      return true;
    }

    @Locked(names = {"x", "y"})
    public void both(Runnable work) {
      work.run();
    }

    @Locked(name = "x", scope = LockScope.APPLICATION, waitFor = "50s")
    public void application(Runnable work) {
      work.run();
    }
  }

  static class Inner {
    @Locked(name = "x", waitFor = "50s")
    public long token() {
      return CurrentLease.get().fencingToken();
    }

    @Locked(name = "x", waitFor = "50s")
    public void run(Runnable work) {
      work.run();
    }

    @Locked(name = "x", waitFor = "0")
    public void attempt() {}

    @Locked(name = "x", mode = LockMode.READ, onBusy = OnBusy.SKIP)
    public boolean read(Runnable work) {
      work.run();
      return true;
    }

    @Locked(name = "x", lease = "10m")
    public Duration longer() {
      return CurrentLease.get().remaining();
    }

    @Locked(name = "x", lease = "10ms")
    public boolean shorter() {
      LockSupport.parkNanos(Duration.ofMillis(30).toNanos());
      return CurrentLease.get().isValid();
    }

    @Locked(name = "x", waitFor = "50s")
    public CompletableFuture<String> future(CompletableFuture<String> result) {
      return result;
    }

    @Locked(name = "x", waitFor = "0")
    public Mono<String> mono(Mono<String> result) {
      return result;
    }

    @LockedJob(name = "x", atLeast = "30s")
    public boolean once() {
      return true;
    }

    @Locked(name = "x", scope = LockScope.APPLICATION, waitFor = "50s")
    public void application() {}

    @Locked(name = "x", scope = LockScope.APPLICATION, waitFor = "50s")
    public Mono<String> applicationMono(Mono<String> result) {
      return result;
    }

    @Locked(
        names = {"y", "x"},
        waitFor = "50s")
    public long both() {
      return CurrentLease.of("x").fencingToken();
    }

    @Locked(name = "x", client = "elsewhere", waitFor = "50s")
    public String elsewhere() {
      return CurrentLease.get().name();
    }
  }

  static class Heard implements LockListener {
    final List<String> events = new CopyOnWriteArrayList<>();

    @Override
    public void acquired(String name, long fencingToken, Duration waited) {
      events.add("acquired " + name);
    }

    @Override
    public void released(String name, long fencingToken, Duration held) {
      events.add("released " + name);
    }

    @Override
    public void lost(String name, long fencingToken, LostReason reason) {
      events.add("lost " + name);
    }

    List<String> acquired() {
      return events.stream().filter(event -> event.startsWith("acquired")).toList();
    }

    /** Listeners hear of everything, but later. */
    boolean heardAll() {
      return events.size() == 2 * acquired().size();
    }
  }

  /** Must not be asked about a lease that was lost. */
  static class Failures implements LockFailureStrategy {
    @Override
    public RuntimeException failed(LockedCall call, dev.interlock.LockException failure) {
      return failure instanceof LeaseLostException ? new IllegalStateException(failure) : failure;
    }
  }

  @BeforeAll
  static void start() {
    context = Contexts.local(
        List.of(Outer.class, Inner.class, Heard.class, Failures.class, Transactions.class),
        "interlock.clients.elsewhere.uri=local://?namespace=" + Contexts.namespace());
    client = context.getBean(LockClient.class);
    template = context.getBean(LockTemplate.class);
    outer = context.getBean(Outer.class);
    inner = context.getBean(Inner.class);
    heard = context.getBean(Heard.class);
    transaction = new TransactionTemplate(context.getBean(Transactions.class));
    other = new TransactionTemplate(context.getBean(Transactions.class));
    other.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @BeforeEach
  void reset() {
    heard.events.clear();
  }

  @AfterEach
  void freed() {
    assertThat(isFree("x")).isTrue();
    assertThat(isFree("y")).isTrue();
    await().until(heard::heardAll);
  }

  static boolean isFree(String name) {
    return client.inspect(name).isEmpty();
  }

  static <T> T elsewhere(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, Contexts.THREADS).join();
  }

  static boolean entersOnAnotherThread() {
    return elsewhere(() -> {
      try {
        inner.attempt();
        return true;
      } catch (LockTimeoutException e) {
        return false;
      }
    });
  }
}
