package dev.interlock.redis.support.jedis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.redis.support.RedisOptions;
import dev.interlock.spi.ClientId;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.providers.SentineledConnectionProvider;

/**
 * Knows which server is the master of a Sentinel set. Jedis listens to each sentinel, on a daemon
 * thread for each; its pool of connections to the master is not used. Thread-safe.
 *
 * <p>Jedis waits for news without limit, so a connection that is dead without a word never brings
 * any, and the client would stay with a master that was deposed. So the sentinels are also asked,
 * over new connections, after a fault and every few seconds of use. What most of those say counts
 * that answer: one may be late.
 */
final class SentinelMaster implements ServerPlace {
  /** How soon a sentinel that is silent is asked again, in milliseconds. */
  private static final long RETRY = 1_000;

  /** How long the latest news are good without a fault. */
  private static final Duration FRESH = Duration.ofSeconds(5);

  private final LockConfig config;
  private final ClientId client;
  private final BackgroundLook looks =
      new BackgroundLook("interlock-sentinels", Duration.ofMillis(RETRY));

  private final ReentrantLock change = new ReentrantLock();
  private volatile SentineledConnectionProvider sentinels;
  private boolean closed; // guarded by change

  private SentinelMaster(LockConfig config, ClientId client) {
    this.config = config;
    this.client = client;
    this.sentinels = listen(config, client);
  }

  /**
   * Asks the sentinels; blocks until one has answered.
   *
   * @throws LockConfigurationException if they do not know the master's name
   * @throws BackendUnavailableException if none of them answers
   */
  static SentinelMaster find(LockConfig config, ClientId client) {
    String name = config.get(RedisOptions.MASTER);
    String address = RedisOptions.address(config);
    try {
      return new SentinelMaster(config, client);
    } catch (JedisConnectionException e) {
      throw new BackendUnavailableException(
          "None of the sentinels at " + address + " tells where the master '" + name
              + "' is. Check hosts, ports, tls, sentinelUser and sentinelPassword, and that they"
              + " run",
          e);
    } catch (JedisException e) {
      throw new LockConfigurationException(
          "The sentinels at " + address + " know no master '" + name + "': check the option master",
          e);
    }
  }

  /** Asks the sentinels, and listens to them from then on. */
  @SuppressWarnings("deprecation") // what Jedis 8 has instead is not in Jedis 7
  private static SentineledConnectionProvider listen(LockConfig config, ClientId client) {
    return new SentineledConnectionProvider(
        config.get(RedisOptions.MASTER),
        ConnectionSettings.ofServers(config, client),
        ConnectionSettings.ofPools(),
        new LinkedHashSet<>(OwnConnections.hosts(config)),
        ConnectionSettings.ofSentinels(config, client),
        RETRY);
  }

  @Override
  public HostAndPort address() {
    if (looks.isOlderThan(FRESH)) {
      doubt();
    }
    return sentinels.getCurrentMaster();
  }

  @Override
  public void doubt() {
    looks.begin(this::look);
  }

  private void look() {
    HostAndPort named = namedByMost();
    if (named == null || named.equals(sentinels.getCurrentMaster())) {
      return;
    }
    SentineledConnectionProvider fresh = listen(config, client);
    SentineledConnectionProvider unused = fresh;
    change.lock();
    try {
      // It has asked one of the sentinels only, which may be late.
      if (!closed && named.equals(fresh.getCurrentMaster())) {
        unused = sentinels;
        sentinels = fresh;
      }
    } finally {
      change.unlock();
    }
    unused.close();
  }

  /** Null if the sentinels that answer do not agree. */
  private @Nullable HostAndPort namedByMost() {
    List<HostAndPort> named = new CopyOnWriteArrayList<>();
    EachServer.run(OwnConnections.hosts(config).stream()
        .map(sentinel -> (Runnable) () -> ask(sentinel).ifPresent(named::add))
        .toList());
    return named.stream()
        .filter(master -> 2 * Collections.frequency(named, master) > named.size())
        .findFirst()
        .orElse(null);
  }

  private Optional<HostAndPort> ask(HostAndPort sentinel) {
    CommandArguments question = new CommandArguments(Command.SENTINEL)
        .add("GET-MASTER-ADDR-BY-NAME")
        .add(config.get(RedisOptions.MASTER));
    try (Connection connection =
        new Connection(sentinel, ConnectionSettings.ofSentinels(config, client))) {
      return connection.executeCommand(question) instanceof List<?> address && address.size() == 2
          ? Optional.of(
              new HostAndPort(text(address.get(0)), Integer.parseInt(text(address.get(1)))))
          : Optional.empty();
    } catch (JedisException e) {
      return Optional.empty(); // the others may know
    }
  }

  private static String text(Object word) {
    return new String((byte[]) word, UTF_8);
  }

  /** Ends threads and connections. */
  @Override
  public void close() {
    change.lock();
    try {
      closed = true;
    } finally {
      change.unlock();
    }
    sentinels.close();
  }
}
