package dev.interlock.redis.support.contract;

import dev.interlock.CommonOptions;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.redis.support.jedis.JedisOptions;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockProvider;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A backend as the engine would use it, with its events in a queue. */
public final class TestClient implements AutoCloseable {
  public static final Duration LEASE = Duration.ofSeconds(30);
  public static final Duration PATIENT = Duration.ofMinutes(1);
  public static final String NAMESPACE = "t";

  public final LockBackend backend;
  public final BlockingQueue<String> events = new LinkedBlockingQueue<>();
  private final long half = ThreadLocalRandom.current().nextLong();
  private final AtomicLong ids = new AtomicLong();

  private TestClient(Function<ClientId, LockBackend> opener) {
    backend = opener.apply(new ClientId(HexFormat.of().toHexDigits(half), "host-a:42"));
  }

  private static LockBackend backend(LockConfig config, ClientId id) {
    LockProvider provider = ServiceLoader.load(LockProvider.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(candidate -> candidate.id().equals(config.provider()))
        .findFirst()
        .orElseThrow();
    return provider.open(config, BackendContext.of(id));
  }

  /** Opens a backend and waits until its mailbox listens. */
  public static TestClient open(String provider, RedisServer server) throws InterruptedException {
    return open(config(provider, server).build());
  }

  public static TestClient open(LockConfig config) throws InterruptedException {
    TestClient client = deaf(config);
    client.backend.subscribe(client.new Events());
    String first = client.event();
    if (!"inDoubt".equals(first)) {
      throw new AssertionError("expected a subscription, not " + first);
    }
    return client;
  }

  /** Opens a backend that never listens. */
  public static TestClient deaf(LockConfig config) {
    return deaf(id -> backend(config, id));
  }

  /** The same with a backend that was made for the test. */
  public static TestClient deaf(Function<ClientId, LockBackend> opener) {
    return new TestClient(opener);
  }

  public static LockConfig.Builder config(String provider, RedisServer server) {
    return LockConfig.builder(provider)
        .set(JedisOptions.HOSTS, List.of(HostPort.of(server.host(), server.port())))
        .set(CommonOptions.NAMESPACE, NAMESPACE);
  }

  public HoldId id() {
    return new HoldId(half, ids.incrementAndGet());
  }

  public static Attempt attempt(
      String name, HoldId id, Duration lease, Duration patience, int tokens) {
    return Attempt.of(name, id, "owner-a", lease).withPatience(patience).withTokens(tokens);
  }

  public AttemptResult tryOnce(String name, HoldId id) {
    return backend.attempt(attempt(name, id, LEASE, Duration.ZERO, 1));
  }

  public AttemptResult tryOnce(String name, HoldId id, Duration lease) {
    return backend.attempt(attempt(name, id, lease, Duration.ZERO, 1));
  }

  public AttemptResult tryPatiently(String name, HoldId id) {
    return backend.attempt(attempt(name, id, LEASE, PATIENT, 1));
  }

  /** Acquires, and answers the token. */
  public long acquire(String name, HoldId id) {
    return ((Grant) tryOnce(name, id)).fencingToken();
  }

  public boolean release(String name, HoldId id) {
    return backend.release(name, id);
  }

  public ReleaseResult pass(String name, HoldId id, HoldId next) {
    return HandOffBackend.release(
        backend, Release.of(name, id).withNext(attempt(name, next, LEASE, PATIENT, 1)));
  }

  @Nullable
  public String event() throws InterruptedException {
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
