package dev.interlock.redis.hash.internal.connection;

import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.redis.hash.internal.push.Subscription;
import dev.interlock.redis.support.RedisOptions;
import dev.interlock.redis.support.SentinelMajority;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Hears from the sentinels that another server is the master. It listens to each of them: what one
 * says, or may have said while it was not heard, is a reason to ask all. Nothing here blocks, but
 * for the first question. Thread-safe.
 *
 * <p>It has a Lettuce client of its own, for connections that lead to sentinels, and to servers of
 * which it asks whether they are the master: those must not be closed for not leading to it.
 */
final class SentinelWatch implements AutoCloseable {
  private static final Logger LOG = System.getLogger(SentinelWatch.class.getName());
  private static final String CHANNEL = "+switch-master";

  /** Failures of many threads lead to one sign of life. */
  private static final Duration BETWEEN_SIGNS = Duration.ofMillis(500);

  private final RedisClient redis;
  private final List<RedisURI> sentinels;
  private final String master;
  private final SentinelMajority majority;

  /** The sentinels that are listened to, or about to be. */
  private final Set<RedisURI> heard = ConcurrentHashMap.newKeySet();

  /** What has listened, and does unless it is refused after a reconnect. */
  private final Map<RedisURI, StatefulRedisPubSubConnection<String, String>> listening =
      new ConcurrentHashMap<>();

  /** The sentinels that refused the latest subscription, of which a warning was given. */
  private final Set<RedisURI> refusing = ConcurrentHashMap.newKeySet();

  private final AtomicLong signAt = new AtomicLong(System.nanoTime() - 2 * BETWEEN_SIGNS.toNanos());

  /**
   * Asks nobody yet.
   *
   * @param resources the threads; they close its client
   * @param setup names the sentinels and the master
   * @param listener is told the master after each look, also if it is the same; on any thread
   */
  static SentinelWatch of(Resources resources, ClientSetup setup, Consumer<HostPort> listener) {
    RedisClient redis = resources.closing(RedisClient.create(resources.lettuce()));
    redis.setOptions(setup.options(ClientOptions.builder()).build());
    LockConfig config = setup.config();
    return new SentinelWatch(
        redis,
        setup.sentinels(),
        config.get(RedisOptions.MASTER),
        new SentinelMajority(config, new SentinelQuestions(redis, setup), listener));
  }

  SentinelWatch(
      RedisClient redis, List<RedisURI> sentinels, String master, SentinelMajority majority) {
    this.redis = redis;
    this.sentinels = sentinels;
    this.master = master;
    this.majority = majority;
  }

  /** Finds the master, as {@link SentinelMajority#find} does; blocks. */
  void find() {
    majority.find();
  }

  /** Called now and then while a client is used; quick. */
  void check() {
    if (majority.isStale()) {
      lookAgain();
    }
  }

  /**
   * Asks the sentinels, listens to those that could not be reached so far, and subscribes once more
   * to the others, as a sign of life and because one may have refused it after a reconnect:
   * {@link ReplyTimeout} closes a connection if no answer comes. Quick, may be called often.
   */
  void lookAgain() {
    majority.doubt();
    long last = signAt.get();
    long now = System.nanoTime();
    if (now - last > BETWEEN_SIGNS.toNanos() && signAt.compareAndSet(last, now)) {
      listen();
    }
  }

  private void listen() {
    listening.forEach(this::subscribe);
    for (RedisURI sentinel : sentinels) {
      if (heard.add(sentinel)) {
        listenTo(sentinel);
      }
    }
  }

  private void listenTo(RedisURI sentinel) {
    CompletionStage<StatefulRedisPubSubConnection<String, String>> connecting =
        redis.connectPubSubAsync(StringCodec.UTF8, sentinel);
    connecting.whenComplete((connection, failure) -> {
      if (failure == null) {
        Subscription subscription = new Subscription();
        connection.addListener(subscription);
        connection.addListener(new Announcements(subscription));
        subscribe(sentinel, connection);
      } else {
        LOG.log(Level.DEBUG, "no sentinel answers at " + sentinel.getHost(), failure);
        heard.remove(sentinel);
      }
    });
  }

  /** Lettuce repeats the subscription after a reconnect once it has succeeded. */
  private void subscribe(
      RedisURI sentinel, StatefulRedisPubSubConnection<String, String> connection) {
    connection.async().subscribe(CHANNEL).whenComplete((done, failure) -> {
      if (failure == null) {
        refusing.remove(sentinel);
        listening.put(sentinel, connection);
        return;
      }
      if (failure instanceof RedisCommandExecutionException && refusing.add(sentinel)) {
        LOG.log(Level.WARNING, "A sentinel does not let this user listen", failure);
      } else {
        LOG.log(Level.DEBUG, "a sentinel is not listened to", failure);
      }
      if (!connection.equals(listening.get(sentinel))) {
        OpenConnections.closeSoon(connection);
        heard.remove(sentinel);
      }
    });
  }

  /** Asks no more. */
  @Override
  public void close() {
    majority.close();
  }

  /** What one sentinel says. */
  private final class Announcements extends RedisPubSubAdapter<String, String> {
    private final Subscription subscription;

    Announcements(Subscription subscription) {
      this.subscription = subscription;
    }

    @Override
    public void subscribed(String channel, long count) {
      if (subscription.confirm()) {
        majority.doubt(); // what it said before was not heard
      }
    }

    @Override
    public void message(String channel, String message) {
      if (message.startsWith(master + " ")) { // then old host and port, new host and port
        majority.doubt();
      }
    }
  }
}
