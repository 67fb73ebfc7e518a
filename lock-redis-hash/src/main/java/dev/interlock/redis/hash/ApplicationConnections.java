package dev.interlock.redis.hash;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

/** Connections of a client that the application owns and may use for other things as well. */
final class ApplicationConnections implements Connections {
  private final RedisClient redis;
  private final Opened opened = new Opened();

  ApplicationConnections(RedisClient redis) {
    this.redis = redis;
  }

  @Override
  public StatefulRedisConnection<byte[], byte[]> open() {
    return opened.open(address(), () -> redis.connect(ByteArrayCodec.INSTANCE));
  }

  @Override
  public StatefulRedisPubSubConnection<byte[], byte[]> openListener() {
    return opened.open(address(), () -> redis.connectPubSub(ByteArrayCodec.INSTANCE));
  }

  @Override
  public String address() {
    return "the application's client";
  }

  /** Closes the connections; the client belongs to the application. */
  @Override
  public void close() {
    opened.close();
  }
}
