package dev.interlock.redis.watch;

import dev.interlock.LockConfig;
import dev.interlock.redis.support.contract.TestClient;
import dev.interlock.redis.support.jedis.Connections;
import dev.interlock.redis.support.jedis.JedisBackends;
import dev.interlock.redis.support.jedis.Servers;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/** A client of which each round trip can be disturbed: a step has two, the look and the change. */
final class Interposed implements Connections {
  /** What happens to a round trip. */
  enum Fault {
    /** The request never arrives. */
    REQUEST_LOST,
    /** The answer never arrives. */
    REPLY_LOST,
    /** The request arrives when the client has given up: see {@link #deliverLate}. */
    LATE,
    /** The server takes the watch, but says LOADING to the second command. */
    LOADING
  }

  private static final int EVERY = -1;

  private final HostAndPort address;
  private final ConcurrentLinkedDeque<Connection> idle = new ConcurrentLinkedDeque<>();
  private final List<Runnable> late = new ArrayList<>();
  private final AtomicInteger flushes = new AtomicInteger();
  private final TestClient client;
  private volatile int disturbed;
  private volatile Runnable before = () -> {};

  private Interposed(RedisServer server) {
    this.address = new HostAndPort(server.host(), server.port());
    LockConfig config = TestClient.config(RedisWatchProvider.ID, server).build();
    this.client = TestClient.deaf(id -> JedisBackends.open(
        config, id, Servers.only(this, Duration.ofSeconds(2)), WatchBackend::new));
  }

  static Interposed open(RedisServer server) {
    return new Interposed(server);
  }

  TestClient client() {
    return client;
  }

  /** Does something just before the nth round trip from now is sent. */
  void beforeFlush(int nth, Runnable what) {
    flushes.set(0);
    before = what;
    disturbed = nth;
  }

  /** Does something before every round trip of even number: between a look and its change. */
  void beforeEveryChange(Runnable what) {
    beforeFlush(EVERY, what);
  }

  void calm() {
    beforeFlush(0, () -> {});
  }

  /** Lets the nth round trip from now fail. */
  void fail(int nth, Fault fault) {
    beforeFlush(nth, () -> {
      throw new Disturbance(fault);
    });
  }

  /** Sends what was kept back, as a stopped server would read it when it goes on. */
  void deliverLate() {
    late.forEach(Runnable::run);
    late.clear();
  }

  /** How many connections lie in the pool. */
  int pooled() {
    return idle.size();
  }

  /** Whether the connection that was used last watches nothing that has changed since. */
  boolean runsATransaction() {
    Connection used = idle.getFirst();
    used.sendCommand(Command.MULTI);
    used.sendCommand(Command.PING);
    used.sendCommand(Command.EXEC);
    return used.getMany(3).get(2) != null;
  }

  int flushes() {
    return flushes.get();
  }

  @Override
  public Connection borrow(Use use) {
    Connection known = idle.pollFirst();
    return known == null ? new Disturbed() : known;
  }

  @Override
  public void giveBack(Use use, Connection connection, boolean healthy) {
    if (healthy && !connection.isBroken()) {
      idle.addFirst(connection);
    }
  }

  @Override
  public boolean mayKeep(Connection connection) {
    // Nobody waits for a connection: there is no limit to them.
    return true;
  }

  @Override
  public Connection openListener() {
    return new Connection(address, DefaultJedisClientConfig.builder().build());
  }

  @Override
  public String address() {
    return address.toString();
  }

  @Override
  public void close() {
    if (!idle.isEmpty()) {
      idle.forEach(Connection::disconnect);
      idle.clear();
      client.close();
    }
  }

  @SuppressWarnings("serial")
  private static final class Disturbance extends RuntimeException {
    private final Fault fault;

    Disturbance(Fault fault) {
      this.fault = fault;
    }
  }

  private final class Disturbed extends Connection {
    Disturbed() {
      super(address, DefaultJedisClientConfig.builder().build());
    }

    @Override
    public List<Object> getMany(int count) {
      int number = flushes.incrementAndGet();
      if (number != disturbed && !(disturbed == EVERY && number % 2 == 0)) {
        return super.getMany(count);
      }
      try {
        before.run();
        return super.getMany(count);
      } catch (Disturbance disturbance) {
        return disturb(disturbance.fault, count);
      }
    }

    private List<Object> disturb(Fault fault, int count) {
      switch (fault) {
        case LATE -> late.add(() -> super.getMany(count));
        case REPLY_LOST -> super.getMany(count);
        case LOADING -> {
          List<Object> replies = new ArrayList<>(super.getMany(count));
          replies.set(1, new JedisDataException("LOADING Redis is loading the dataset in memory"));
          return replies;
        }
        case REQUEST_LOST -> setBroken(); // and what was written stays in the buffer
      }
      throw new JedisConnectionException("planted: " + fault);
    }
  }
}
