package dev.interlock.redis.hash.internal.backend;

import dev.interlock.CommonOptions;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.redis.hash.RedisHashOptions;
import dev.interlock.redis.hash.RedisHashProvider;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
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
public final class TestClient implements AutoCloseable {
  public static final Duration LEASE = Duration.ofSeconds(30);
  static final Duration PATIENT = Duration.ofMinutes(1);
  static final String NAMESPACE = "t";

  /** A grant that came as an event. */
  record Told(Grant grant, long notBeforeNanos, long heardNanos) {}

  public final LockBackend backend;
  public final String clientId;
  public final String mailbox;
  public final BlockingQueue<String> events = new LinkedBlockingQueue<>();
  final BlockingQueue<Told> grants = new LinkedBlockingQueue<>();
  private final long half = ThreadLocalRandom.current().nextLong();
  private final AtomicLong ids = new AtomicLong();

  private TestClient(LockConfig config) {
    clientId = HexFormat.of().toHexDigits(half);
    mailbox = config.get(CommonOptions.NAMESPACE) + ":mailbox:" + clientId;
    backend = new RedisHashProvider()
        .open(config, BackendContext.of(new ClientId(clientId, "host-a:42")));
  }

  /** Opens a backend and waits until its mailbox listens. */
  public static TestClient open(RedisServer server) throws InterruptedException {
    TestClient client = new TestClient(config(server).build());
    client.listen();
    return client;
  }

  /** Opens a backend that does not listen yet. */
  public static TestClient deaf(RedisServer server) {
    return new TestClient(config(server).build());
  }

  /** Opens a backend at a port, and waits until its mailbox listens. */
  public static TestClient openAt(int port) throws InterruptedException {
    TestClient client = new TestClient(config("127.0.0.1", port).build());
    client.listen();
    return client;
  }

  /** The same for servers that a URI names. */
  public static TestClient deaf(String uri) {
    return new TestClient(LockConfig.parse(uri));
  }

  public void startToListen() {
    backend.subscribe(new Events());
  }

  void listen() throws InterruptedException {
    startToListen();
    String first = event();
    if (!"inDoubt".equals(first)) {
      throw new AssertionError("expected a subscription, not " + first);
    }
  }

  /** Counts the connections that listen to its mailbox on a server. */
  public int listeners(RedisServer server) {
    return listeners(server, mailbox);
  }

  /** Counts the connections that listen to a channel. */
  public static int listeners(RedisServer server, String channel) {
    String answer = server.command("PUBSUB", "NUMSUB", channel).strip();
    return Integer.parseInt(answer.substring(answer.lastIndexOf('\n') + 1));
  }

  static LockConfig.Builder config(RedisServer server) {
    return config(server.host(), server.port());
  }

  private static LockConfig.Builder config(String host, int port) {
    return LockConfig.builder("redis-hash")
        .set(RedisHashOptions.HOSTS, List.of(HostPort.of(host, port)))
        .set(CommonOptions.NAMESPACE, NAMESPACE);
  }

  public HoldId id() {
    return new HoldId(half, ids.incrementAndGet());
  }

  static Attempt fair(String name, HoldId id, Duration lease, Duration patience) {
    return Attempt.of(name, id, "owner-a", lease).withFair(true).withPatience(patience);
  }

  static Attempt barging(String name, HoldId id) {
    return Attempt.of(name, id, "owner-a", LEASE).withPatience(PATIENT);
  }

  public AttemptResult tryOnce(String name, HoldId id) {
    return backend.attempt(fair(name, id, LEASE, Duration.ZERO));
  }

  public AttemptResult tryOnce(String name, HoldId id, Duration lease) {
    return backend.attempt(fair(name, id, lease, Duration.ZERO));
  }

  public AttemptResult queue(String name, HoldId id) {
    return backend.attempt(fair(name, id, LEASE, PATIENT));
  }

  AttemptResult permits(String name, HoldId id, int units, int of) {
    return backend.attempt(fair(name, id, LEASE, PATIENT).withUnits(units, of));
  }

  AttemptResult share(String name, HoldId id, String owner) {
    return backend.attempt(
        Attempt.of(name, id, owner, LEASE).withSharedOwner(true).withPatience(PATIENT));
  }

  public ReleaseResult release(String name, HoldId id) {
    return HandOffBackend.release(backend, Release.of(name, id));
  }

  public RenewalResult refresh(String name, HoldId id) {
    return RenewalAnswers.collect(backend, List.of(Renewal.of(name, id, LEASE, true)))
        .get(0);
  }

  RenewalResult renew(String name, HoldId id) {
    return renew(name, List.of(id)).get(0);
  }

  List<RenewalResult> renew(String name, List<HoldId> ids) {
    List<Renewal> renewals =
        ids.stream().map(id -> Renewal.of(name, id, LEASE, false)).toList();
    return RenewalAnswers.collect(backend, renewals);
  }

  public @Nullable String event() throws InterruptedException {
    return events.poll(10, TimeUnit.SECONDS);
  }

  @Nullable
  Told grant() throws InterruptedException {
    return grants.poll(10, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    backend.close();
  }

  private final class Events implements BackendEvents {
    @Override
    public void granted(Grant grant, long notBeforeNanos) {
      grants.add(new Told(grant, notBeforeNanos, System.nanoTime()));
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
