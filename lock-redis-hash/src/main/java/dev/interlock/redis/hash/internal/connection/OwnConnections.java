package dev.interlock.redis.hash.internal.connection;

import dev.interlock.LockConfig;
import dev.interlock.redis.hash.internal.push.Listeners;
import dev.interlock.redis.support.RedisOptions;
import dev.interlock.redis.support.Topology;
import dev.interlock.spi.ClientId;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.SocketAddressResolver;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A Lettuce client of our own for one server: a fixed one, or the master of a Sentinel set, by most
 * of its sentinels.
 */
final class OwnConnections implements Connections {
  /** What is refused in one burst is one piece of news. */
  private static final Duration BETWEEN_LEAVES = Duration.ofMillis(500);

  private final String address;
  private final MasterChannels channels = new MasterChannels();
  private final Resources resources;
  private final RedisClient redis;

  /** Null if the server is a fixed one. */
  private final @Nullable SentinelWatch watch;

  private final OpenConnections opened = new OpenConnections();
  private final AtomicLong leftAt = new AtomicLong(System.nanoTime());

  OwnConnections(LockConfig config, ClientId client) {
    ClientSetup setup = new ClientSetup(config, client);
    this.address = RedisOptions.address(config);
    boolean sentinel = config.get(RedisOptions.TOPOLOGY) == Topology.SENTINEL;
    this.resources = new Resources(config.get(RedisOptions.TIMEOUT));
    SocketAddressResolver addresses = sentinel
        ? new MasterAddress(channels::master)
        : resources.lettuce().socketAddressResolver();
    this.redis = resources.closing(RedisClient.create(
        resources.lettuce(channels, addresses),
        setup.uri(RedisOptions.servers(config).get(0))));
    this.redis.setOptions(setup.options(ClientOptions.builder()).build());
    this.watch = sentinel ? SentinelWatch.of(resources, setup, channels::follow) : null;
  }

  @Override
  public SharedConnection open() {
    if (watch != null) {
      watch.find();
    }
    return SharedConnection.to(
        opened.open(address(), () -> redis.connect(ByteArrayCodec.INSTANCE)));
  }

  @Override
  public Listeners openListeners() {
    StatefulRedisPubSubConnection<byte[], byte[]> listening =
        opened.open(address(), () -> redis.connectPubSub(ByteArrayCodec.INSTANCE));
    if (watch == null) {
      return Listeners.of(listening);
    }
    watch.lookAgain();
    return Listeners.of(listening, watch::check);
  }

  @Override
  public void lookAgain() {
    if (watch != null) {
      watch.lookAgain();
    }
  }

  /** A fixed server's name may lead to another server since it became a replica. */
  @Override
  public void answeredByReplica() {
    lookAgain();
    long last = leftAt.get();
    long now = System.nanoTime();
    if (watch == null && now - last > BETWEEN_LEAVES.toNanos() && leftAt.compareAndSet(last, now)) {
      channels.leaveAll();
    }
  }

  @Override
  public boolean isCluster() {
    return false;
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  public void close() {
    if (watch != null) {
      watch.close();
    }
    opened.close(); // first, so that none of them reconnects meanwhile
    resources.close();
  }
}
