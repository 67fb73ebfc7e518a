package dev.interlock.redis.hash.internal.connection;

import dev.interlock.redis.hash.internal.push.Subscription;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Hears from the sentinels which server is the master. It listens to each of them, and asks one
 * whose messages may have been missed. Nothing here blocks. Thread-safe.
 */
final class SentinelWatch {
  private static final Logger LOG = System.getLogger(SentinelWatch.class.getName());
  private static final String CHANNEL = "+switch-master";

  private final RedisClient redis;
  private final List<RedisURI> sentinels;
  private final String master;
  private final MasterChannels channels;

  /** The sentinels that are listened to, or about to be. */
  private final Set<RedisURI> heard = ConcurrentHashMap.newKeySet();

  private final Set<StatefulRedisPubSubConnection<String, String>> listening =
      ConcurrentHashMap.newKeySet();

  SentinelWatch(
      RedisClient redis, List<RedisURI> sentinels, String master, MasterChannels channels) {
    this.redis = redis;
    this.sentinels = sentinels;
    this.master = master;
    this.channels = channels;
  }

  /**
   * Listens to sentinels that could not be reached so far, and subscribes once more to the others,
   * as a sign of life and because one may have refused it after a reconnect: {@link ReplyTimeout}
   * closes a connection if no answer comes, and the next one asks who the master is.
   */
  void lookAgain() {
    listening.forEach(connection -> {
      RedisFuture<Void> unused = connection.async().subscribe(CHANNEL);
    });
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
        connection.addListener(new Announcements(sentinel, subscription));
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
    connection.async().subscribe(CHANNEL).whenComplete((done, refusal) -> {
      if (refusal != null) {
        LOG.log(Level.WARNING, "A sentinel does not let this user listen", refusal);
        OpenConnections.closeSoon(connection);
        heard.remove(sentinel);
      } else {
        listening.add(connection);
      }
    });
  }

  private void ask(RedisURI sentinel) {
    CompletionStage<StatefulRedisSentinelConnection<String, String>> connecting =
        redis.connectSentinelAsync(StringCodec.UTF8, sentinel);
    connecting.whenComplete((connection, failure) -> {
      if (failure == null) {
        ask(connection);
      }
    });
  }

  private void ask(StatefulRedisSentinelConnection<String, String> connection) {
    connection.async().getMasterAddrByName(master).whenComplete((address, failure) -> {
      if (address instanceof InetSocketAddress found) {
        channels.confirmed(new InetSocketAddress(found.getHostString(), found.getPort()));
      }
      OpenConnections.closeSoon(connection);
    });
  }

  /** What one sentinel says. */
  private final class Announcements extends RedisPubSubAdapter<String, String> {
    private static final int WORDS = 5;
    private final RedisURI sentinel;
    private final Subscription subscription;

    Announcements(RedisURI sentinel, Subscription subscription) {
      this.sentinel = sentinel;
      this.subscription = subscription;
    }

    @Override
    public void subscribed(String channel, long count) {
      if (subscription.confirm()) {
        ask(sentinel); // what it said before was not heard
      }
    }

    @Override
    public void message(String channel, String message) {
      String[] words = message.split(" ", -1); // name, old host and port, new host and port
      if (words.length == WORDS && words[0].equals(master)) {
        channels.switched(address(words[1], words[2]), address(words[3], words[4]));
      }
    }

    private static InetSocketAddress address(String host, String port) {
      return new InetSocketAddress(host, Integer.parseInt(port));
    }
  }
}
