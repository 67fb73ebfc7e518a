package dev.interlock.redis.support.jedis;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfig;
import dev.interlock.redis.support.RedisOptions;
import dev.interlock.redis.support.Topology;
import dev.interlock.spi.ClientId;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A pool of our own: the one that was used last is used next, none is opened before it is needed.
 * In a Sentinel set all lead to the master: those that lead to an earlier one are closed.
 *
 * <p>A connection that lay idle is asked for a sign of life before it is used, because a server
 * that was restarted has cut it. A fault on one ends the others that are idle: where no answer came
 * on it, each of them would cost its time again.
 */
public final class OwnConnections implements Connections {
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private record Idle(Connection connection, long since) {
    boolean isTrusted() {
      return System.nanoTime() - since < IDLE_NANOS;
    }
  }

  /** Knows where it leads, which Jedis 7 does not tell, and its socket. */
  private static final class Led extends Connection {
    private final HostAndPort to;
    private final long since;

    /** Null if it cannot be awaited for a while: what comes is encrypted. */
    private final @Nullable PatientSocket socket;

    static Led connect(HostAndPort to, JedisClientConfig settings) {
      long since = System.nanoTime();
      return settings.isSsl()
          ? new Led(to, since, settings)
          : new Led(to, since, settings, PatientSocket.connect(to, settings));
    }

    private Led(HostAndPort to, long since, JedisClientConfig settings) {
      super(to, settings);
      this.to = to;
      this.since = since;
      this.socket = null;
    }

    private Led(HostAndPort to, long since, JedisClientConfig settings, PatientSocket socket) {
      super(() -> socket, settings);
      this.to = to;
      this.since = since;
      this.socket = socket;
    }

    static boolean leads(Connection connection, HostAndPort to) {
      return connection instanceof Led led && led.to.equals(to);
    }

    static @Nullable PatientSocket socket(Connection connection) {
      return connection instanceof Led led ? led.socket : null;
    }
  }

  private final ServerPlace server;
  private final JedisClientConfig settings;
  private final ConnectionPermits permits;
  private final long timeout;
  private final ConcurrentLinkedDeque<Idle> idle = new ConcurrentLinkedDeque<>();
  private final OpenConnections open = new OpenConnections();
  private final OpenConnections.Source source = new OpenConnections.Source() {
    @Override
    public Object place() {
      return server.address();
    }

    @Override
    public @Nullable Connection idle() {
      return lively(server.address());
    }

    @Override
    public Connection further() {
      Connection connection = connect(server.address());
      count.incrementAndGet();
      return connection;
    }

    @Override
    public boolean isAnyOpen() {
      return !closed && count.get() > 0;
    }

    @Override
    public void keep(Connection connection) {
      OwnConnections.this.keep(new Idle(connection, System.nanoTime()));
    }
  };

  /** Connections for commands, lent or idle. */
  private final AtomicInteger count = new AtomicInteger();

  private final Listener listener = new Listener();
  private volatile boolean closed;

  OwnConnections(LockConfig config, ClientId client, ServerPlace server) {
    this.server = server;
    this.settings = ConnectionSettings.ofServers(config, client);
    this.timeout = config.get(JedisOptions.TIMEOUT).toNanos();
    this.permits =
        new ConnectionPermits(config.get(JedisOptions.POOL_SIZE), config.get(JedisOptions.TIMEOUT));
  }

  /**
   * Prepares connections to the server, or to the master of the Sentinel set, that the settings
   * name. Blocks only to ask the sentinels.
   *
   * @param config where to connect, and how
   * @param client who the client is
   * @return what opens connections as they are needed
   * @throws dev.interlock.LockException if no sentinel tells where the master is
   */
  public static OwnConnections open(LockConfig config, ClientId client) {
    if (config.get(JedisOptions.TOPOLOGY) == Topology.SENTINEL) {
      return new OwnConnections(config, client, SentinelMaster.find(config, client));
    }
    return to(hosts(config).get(0), config, client);
  }

  /** Prepares connections to one server. */
  static OwnConnections to(HostAndPort server, LockConfig config, ClientId client) {
    return new OwnConnections(config, client, ServerPlace.fixed(server));
  }

  /** The hosts of the settings, as Jedis names them. */
  static List<HostAndPort> hosts(LockConfig config) {
    return RedisOptions.servers(config).stream()
        .map(host -> new HostAndPort(host.host(), host.port().orElseThrow()))
        .toList();
  }

  @Override
  public Connection borrow(Use use) {
    long deadline = System.nanoTime() + timeout;
    permits.enter(use);
    Connection borrowed = null;
    try {
      HostAndPort now = server.address();
      leaveOthers(now);
      borrowed = lively(now);
      if (borrowed == null) {
        borrowed = open.furtherOrNext(use, source, deadline);
      }
      return borrowed;
    } finally {
      if (borrowed == null) { // also after an error, such as no memory for a socket
        permits.leave(use);
      }
    }
  }

  @Override
  public @Nullable Connection ready(Use use) {
    if (!permits.tryEnter(use)) {
      return null;
    }
    Connection ready = null;
    try {
      ready = ready();
      return ready;
    } finally {
      if (ready == null) {
        permits.leave(use);
      }
    }
  }

  private @Nullable Connection ready() {
    HostAndPort now = server.address();
    leaveOthers(now);
    Idle first = idle.pollFirst();
    if (first == null) {
      return null;
    }
    Connection connection = first.connection();
    if (first.isTrusted() && Led.leads(connection, now) && Led.socket(connection) != null) {
      return connection;
    }
    keep(first);
    return null;
  }

  /** Awaits answers on a connection from {@link #ready}; see {@link PatientSocket#has}. */
  static boolean has(Connection connection, int count, long nanos) throws IOException {
    PatientSocket socket = Led.socket(connection);
    return socket != null && socket.has(count, nanos);
  }

  @Override
  public void giveBack(Use use, Connection connection, boolean healthy) {
    try {
      if (!healthy) {
        discard(connection);
        discardIdle();
        server.doubt();
      } else if (connection.isBroken() || closed) {
        discard(connection);
      } else {
        handOverOrKeep(connection);
        if (use == Use.ATTEMPT && connection instanceof Led led) {
          listener.served(led.since); // others may only have read, as a replica lets them
        }
      }
    } finally { // also after an error, such as no memory for a thread
      permits.leave(use);
    }
  }

  private void handOverOrKeep(Connection connection) {
    boolean taken = false;
    try {
      if (!handOver(connection)) {
        keep(new Idle(connection, System.nanoTime()));
      }
      taken = true;
    } finally {
      if (!taken) { // after an error, such as no memory
        discard(connection);
      }
    }
  }

  private boolean handOver(Connection connection) {
    return open.isAwaited() && Led.leads(connection, server.address()) && open.handOver(connection);
  }

  private void keep(Idle next) {
    idle.addFirst(next);
    if (closed) {
      discardIdle(); // close() may have looked before it was there
    }
  }

  @Override
  public void misled() {
    listener.doubt();
  }

  @Override
  public boolean mayKeep(Connection connection) {
    return !closed
        && !open.isAwaited()
        && !permits.isAwaited()
        && Led.leads(connection, server.address());
  }

  @Override
  public Connection openListener() {
    long since = System.nanoTime();
    Connection opened = connect(server.address());
    listener.opened(opened, since);
    return opened;
  }

  @Override
  public String address() {
    return server.address().toString();
  }

  @Override
  public void close() {
    closed = true;
    permits.close();
    open.close();
    discardIdle();
    server.close();
  }

  /**
   * A master that was deposed may live on, and a listener there hears nothing any more. Found by
   * whoever attempts next, as everybody who waits does every few seconds.
   */
  private void leaveOthers(HostAndPort now) {
    listener.leaveUnless(open -> Led.leads(open, now)); // the mailbox opens another one
  }

  private @Nullable Connection lively(HostAndPort now) {
    Idle candidate = idle.pollFirst();
    while (candidate != null) {
      Connection connection = candidate.connection();
      boolean right = Led.leads(connection, now);
      if (right && (candidate.isTrusted() || answers(connection))) {
        return connection;
      }
      discard(connection);
      if (right) {
        discardIdle(); // they have lain idle for longer
      }
      candidate = idle.pollFirst();
    }
    return null;
  }

  private static boolean answers(Connection connection) {
    try {
      return connection.ping();
    } catch (JedisException e) {
      return false; // it is replaced by a new one, which tells what is wrong
    }
  }

  private Connection connect(HostAndPort to) {
    if (closed) {
      throw new BackendUnavailableException("This client's connections to Redis are closed");
    }
    try {
      return Led.connect(to, settings);
    } catch (JedisException e) {
      server.doubt();
      throw Faults.connecting(to.toString(), e);
    }
  }

  private void discardIdle() {
    for (Idle next = idle.pollFirst(); next != null; next = idle.pollFirst()) {
      discard(next.connection());
    }
  }

  private void discard(Connection connection) {
    count.decrementAndGet();
    try {
      connection.disconnect();
    } catch (JedisConnectionException e) {
      // It is closed all the same, and what it had to say is known.
    }
  }
}
