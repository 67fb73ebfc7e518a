package dev.interlock.redis.support.jedis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.redis.support.RedisOptions;
import dev.interlock.spi.ClientId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Knows which server is the master of a Sentinel set: the one that most sentinels name when asked.
 * Thread-safe.
 *
 * <p>One sentinel may be late, or cut off with a master that was deposed, so none is believed
 * alone. Jedis listens to each, on a daemon thread for each, and believes the one it heard last:
 * what it says is only a reason to ask all of them. As it waits for news without limit, a
 * connection that is dead without a word never brings any, so they are also asked after a fault and
 * every few seconds of use.
 */
final class SentinelMaster implements ServerPlace {
  /** How soon sentinels are asked again, in milliseconds. */
  private static final long RETRY = 1_000;

  /** How long the latest answers are good without a fault. */
  private static final Duration FRESH = Duration.ofSeconds(5);

  private final LockConfig config;
  private final ClientId client;
  private final List<HostAndPort> hosts;
  private final SentinelNews news;
  private final BackgroundLook looks =
      new BackgroundLook("interlock-sentinels", Duration.ofMillis(RETRY));

  private volatile HostAndPort master;

  private SentinelMaster(LockConfig config, ClientId client) {
    this.config = config;
    this.client = client;
    this.hosts = OwnConnections.hosts(config).stream().distinct().toList();
    this.news = new SentinelNews(hosts, RETRY, config, client);
    HostAndPort first = news.getCurrentMaster();
    HostAndPort named = named(ask());
    this.master = named != null ? named : first;
  }

  /**
   * Asks the sentinels; blocks until most of them name the same master, or all have had their time.
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

  @Override
  public HostAndPort address() {
    if (looks.isOlderThan(FRESH) || !news.getCurrentMaster().equals(master)) {
      doubt();
    }
    return master;
  }

  @Override
  public void doubt() {
    looks.begin(this::look);
  }

  private void look() {
    List<HostAndPort> answers = ask();
    HostAndPort named = named(answers);
    if (named != null) {
      master = named;
      return;
    }
    HostAndPort likely = namedByMost(answers, answers.size());
    if (likely != null && !likely.equals(master) && !isMaster(master)) {
      master = likely;
    }
  }

  /** What most of the sentinels name, counting also those that do not answer; else null. */
  private @Nullable HostAndPort named(List<HostAndPort> answers) {
    return namedByMost(answers, hosts.size());
  }

  private static @Nullable HostAndPort namedByMost(List<HostAndPort> answers, int of) {
    return answers.stream()
        .filter(answer -> 2 * Collections.frequency(answers, answer) > of)
        .findFirst()
        .orElse(null);
  }

  /** Ends without those that are silent once the others are enough. */
  private List<HostAndPort> ask() {
    BlockingQueue<Optional<HostAndPort>> heard = new LinkedBlockingQueue<>();
    EachServer.begin(hosts.stream()
        .map(sentinel -> (Runnable) () -> {
          Optional<HostAndPort> answer = Optional.empty();
          try {
            answer = ask(sentinel);
          } finally {
            heard.add(answer);
          }
        })
        .toList());
    List<HostAndPort> answers = new ArrayList<>();
    for (int i = 0; i < hosts.size() && named(answers) == null; i++) {
      take(heard).ifPresent(answers::add);
    }
    return answers;
  }

  /** Each comes within the time limits of a connection. */
  private static <T> T take(BlockingQueue<T> queue) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return queue.take();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
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

  /** False also if it does not say, within the time limits. HELLO takes no rights, unlike ROLE. */
  private boolean isMaster(HostAndPort server) {
    try (Connection connection =
        new Connection(server, ConnectionSettings.ofServers(config, client))) {
      CommandArguments question = new CommandArguments(Command.HELLO).add("2");
      return connection.executeCommand(question) instanceof List<?> facts && hasRole(facts);
    } catch (JedisException e) {
      return false;
    }
  }

  /** Names and values by turns. */
  private static boolean hasRole(List<?> facts) {
    for (int i = 0; i + 1 < facts.size(); i += 2) {
      if (text(facts.get(i)).equals("role")) {
        return text(facts.get(i + 1)).equals("master");
      }
    }
    return false;
  }

  private static String text(Object word) {
    return new String((byte[]) word, UTF_8);
  }

  /** Ends threads and connections. */
  @Override
  public void close() {
    looks.close();
    news.close();
  }
}
