package dev.interlock.redis.setnx;

import dev.interlock.CommonOptions;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A backend as the engine would use it, with its events in a queue. */
final class TestClient implements AutoCloseable {
  static final Duration LEASE = Duration.ofSeconds(30);
  static final Duration PATIENT = Duration.ofMinutes(1);
  static final String NAMESPACE = "t";

  final LockBackend backend;
  final BlockingQueue<String> events = new LinkedBlockingQueue<>();
  private final long half = ThreadLocalRandom.current().nextLong();
  private final AtomicLong ids = new AtomicLong();

  private TestClient(LockConfig config) {
    ClientId id = new ClientId(HexFormat.of().toHexDigits(half), "host-a:42");
    backend = new RedisSetnxProvider().open(config, id);
  }

  /** Opens a backend and waits until its mailbox listens. */
  static TestClient open(RedisServer server) throws InterruptedException {
    return open(config(server).build());
  }

  static TestClient open(LockConfig config) throws InterruptedException {
    TestClient client = new TestClient(config);
    client.backend.subscribe(client.new Events());
    String first = client.event();
    if (!"inDoubt".equals(first)) {
      throw new AssertionError("expected a subscription, not " + first);
    }
    return client;
  }

  /** Opens a backend that never listens. */
  static TestClient deaf(LockConfig config) {
    return new TestClient(config);
  }

  static LockConfig.Builder config(RedisServer server) {
    return LockConfig.builder("redis-setnx")
        .set(RedisSetnxOptions.HOSTS, List.of(HostPort.of(server.host(), server.port())))
        .set(CommonOptions.NAMESPACE, NAMESPACE);
  }

  HoldId id() {
    return new HoldId(half, ids.incrementAndGet());
  }

  static Attempt attempt(String name, HoldId id, Duration lease, Duration patience, int tokens) {
    return new Attempt(name, id, "owner-a", false, lease, false, patience, tokens);
  }

  AttemptResult tryOnce(String name, HoldId id) {
    return backend.attempt(attempt(name, id, LEASE, Duration.ZERO, 1));
  }

  AttemptResult tryOnce(String name, HoldId id, Duration lease) {
    return backend.attempt(attempt(name, id, lease, Duration.ZERO, 1));
  }

  AttemptResult tryPatiently(String name, HoldId id) {
    return backend.attempt(attempt(name, id, LEASE, PATIENT, 1));
  }

  /** Acquires, and answers the token. */
  long acquire(String name, HoldId id) {
    return ((AttemptResult.Granted) tryOnce(name, id)).fencingToken();
  }

  boolean release(String name, HoldId id) {
    return backend.release(new Release(name, id, null)).held();
  }

  ReleaseResult pass(String name, HoldId id, HoldId next) {
    return backend.release(new Release(name, id, attempt(name, next, LEASE, PATIENT, 1)));
  }

  @Nullable
  String event() throws InterruptedException {
    return events.poll(10, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    backend.close();
  }

  private final class Events implements BackendEvents {
    @Override
    public void granted(Grant grant, long notBeforeNanos) {
      events.add("granted " + grant.name());
    }

    @Override
    public void wake(String name, HoldId id) {
      events.add("wake " + name + " " + id);
    }

    @Override
    public void revoked(String name, HoldId id) {
      events.add("revoked " + name + " " + id);
    }

    @Override
    public void inDoubt() {
      events.add("inDoubt");
    }
  }
}
