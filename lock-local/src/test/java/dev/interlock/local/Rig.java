package dev.interlock.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Capability;
import dev.interlock.CommonOptions;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockListener;
import dev.interlock.LockRequest;
import dev.interlock.Option;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockClients;
import dev.interlock.spi.LockProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** A space and clients of it, each over a {@link FaultyBackend}. */
final class Rig implements AutoCloseable {
  private final LocalSpace space = LocalSpace.create();
  private final List<Client> clients = new ArrayList<>();

  /** A client and the backend under it. */
  record Client(LockClient locks, FaultyBackend backend, String id) {
    /** An asynchronous request has queued, and its thread waits for another. */
    void awaitStepOver() {
      Await.until(
          "the step is over",
          () -> Thread.getAllStackTraces().keySet().stream()
              .filter(thread -> thread.getName().startsWith("interlock-io-" + id))
              .allMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING));
    }

    Lease acquire(String name) throws InterruptedException {
      return locks.acquire(LockRequest.of(name));
    }

    Lease acquire(String name, long leaseMillis) throws InterruptedException {
      return locks.acquire(LockRequest.of(name).withLease(Duration.ofMillis(leaseMillis)));
    }

    boolean isFree(String name) {
      return locks.inspect(name).isEmpty();
    }

    int waiters(String name) {
      return locks.inspect(name).orElseThrow().waiters();
    }

    long threads() {
      return Thread.getAllStackTraces().keySet().stream()
          .filter(thread -> thread.getName().contains(id))
          .count();
    }
  }

  private record Provider(Set<Capability> promised) implements LockProvider {
    @Override
    public Set<Capability> capabilities(LockConfig config) {
      return promised;
    }

    @Override
    public String id() {
      return "faulty";
    }

    @Override
    public List<Option<?>> options() {
      return List.of();
    }

    @Override
    public LockBackend open(LockConfig config, BackendContext context) {
      throw new UnsupportedOperationException("opened by the rig");
    }
  }

  LocalSpace space() {
    return space;
  }

  Client open() {
    return open(Duration.ofSeconds(30));
  }

  Client open(Duration lease, LockListener... listeners) {
    return open(EnumSet.complementOf(EnumSet.of(Capability.DURABLE)), lease, listeners);
  }

  Client open(Set<Capability> capabilities, Duration lease, LockListener... listeners) {
    LockConfig.Builder config = LockConfig.builder("faulty").set(CommonOptions.LEASE, lease);
    for (LockListener listener : listeners) {
      config.listener(listener);
    }
    FaultyBackend[] backend = new FaultyBackend[1];
    String[] id = new String[1];
    LockClient locks = LockClients.open(new Provider(capabilities), config.build(), context -> {
      id[0] = context.client().id();
      backend[0] = new FaultyBackend(new LocalBackend(space, context.client()));
      return backend[0];
    });
    Client client = new Client(locks, backend[0], id[0]);
    clients.add(client);
    return client;
  }

  /** Nothing is held, nobody waits, and nothing is left of either. */
  void awaitNothingLeft() {
    Await.until("the space is empty", () -> space.size() == 0);
  }

  @Override
  public void close() {
    for (Client client : clients) {
      client.backend().heal();
      client.locks().close();
      assertThat(client.backend().isClosed()).isTrue();
    }
    awaitNothingLeft();
    Await.until(
        "the clients' threads have ended",
        () -> clients.stream().allMatch(client -> client.threads() == 0));
  }

  static <T> T join(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
  }
}
