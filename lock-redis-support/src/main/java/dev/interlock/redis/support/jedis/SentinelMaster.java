package dev.interlock.redis.support.jedis;

import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.redis.support.RedisOptions;
import dev.interlock.redis.support.SentinelMajority;
import dev.interlock.spi.ClientId;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The master of a Sentinel set, by most of its sentinels. Thread-safe.
 *
 * <p>Jedis listens to each of them, on a daemon thread for each, and believes the one it heard
 * last: what it says is only a reason to ask all of them. As it waits for news without limit, a
 * connection that is dead without a word never brings any, so they are also asked after a fault and
 * every few seconds of use.
 */
final class SentinelMaster implements ServerPlace {
  /** How soon Jedis connects again to a sentinel, in milliseconds. */
  private static final long RETRY = 1_000;

  private final SentinelMajority majority;
  private final SentinelNews news;

  private SentinelMaster(SentinelMajority majority, SentinelNews news) {
    this.majority = majority;
    this.news = news;
  }

  /**
   * Asks the sentinels; blocks until most of them name the same master, or all have had their time.
   *
   * @throws dev.interlock.LockConfigurationException if they do not know the master's name
   * @throws dev.interlock.BackendUnavailableException if none of them answers
   */
  static SentinelMaster find(LockConfig config, ClientId client) {
    SentinelMajority majority =
        new SentinelMajority(config, new SentinelQuestions(config, client), master -> {});
    majority.find();
    try {
      return new SentinelMaster(
          majority, new SentinelNews(OwnConnections.hosts(config), RETRY, config, client));
    } catch (JedisException e) { // they have gone since
      throw Faults.connecting(RedisOptions.address(config), e);
    }
  }

  @Override
  public HostAndPort address() {
    HostPort found = majority.master();
    HostAndPort master = new HostAndPort(found.host(), found.port().orElseThrow());
    if (majority.isStale() || !news.getCurrentMaster().equals(master)) {
      doubt();
    }
    return master;
  }

  @Override
  public void doubt() {
    majority.doubt();
  }

  /** Ends threads and connections. */
  @Override
  public void close() {
    majority.close();
    news.close();
  }
}
