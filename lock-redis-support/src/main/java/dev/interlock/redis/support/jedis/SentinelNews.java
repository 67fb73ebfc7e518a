package dev.interlock.redis.support.jedis;

import dev.interlock.LockConfig;
import dev.interlock.redis.support.RedisOptions;
import dev.interlock.spi.ClientId;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.providers.SentineledConnectionProvider;

/**
 * What Jedis hears of the sentinels. It listens to each, on a daemon thread for each; its pool of
 * connections to the master is not used. Thread-safe.
 */
final class SentinelNews extends SentineledConnectionProvider {
  private static final Duration PAUSE = Duration.ofMillis(50);

  private final Duration limit;

  /** Asks the sentinels until one answers, and listens to all from then on. */
  @SuppressWarnings("deprecation") // what Jedis 8 has instead is not in Jedis 7
  SentinelNews(List<HostAndPort> sentinels, long retryMillis, LockConfig config, ClientId client) {
    super(
        config.get(RedisOptions.MASTER),
        ConnectionSettings.ofServers(config, client),
        ConnectionSettings.ofPools(),
        new LinkedHashSet<>(sentinels),
        ConnectionSettings.ofSentinels(config, client),
        retryMillis);
    this.limit = config
        .get(JedisOptions.CONNECT_TIMEOUT)
        .plus(config.get(JedisOptions.TIMEOUT))
        .plusSeconds(1);
  }

  /**
   * Ends threads and connections, soon. Jedis tells each listener once, and one that has not begun
   * yet, or is about to connect, does not hear it: it would stay for ever. So each is told until it
   * has ended.
   */
  @Override
  public void close() {
    super.close();
    Thread thread = new Thread(this::endListeners, "interlock-sentinels-end");
    thread.setDaemon(true);
    thread.start();
  }

  private void endListeners() {
    long deadline = System.nanoTime() + limit.toNanos();
    try {
      while (sentinelListeners.stream().anyMatch(Thread::isAlive)
          && System.nanoTime() - deadline < 0) {
        Thread.sleep(PAUSE.toMillis());
        sentinelListeners.forEach(SentinelListener::shutdown);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // nobody does; it would end all the same
    }
  }
}
