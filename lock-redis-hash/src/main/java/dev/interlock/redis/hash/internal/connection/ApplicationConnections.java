package dev.interlock.redis.hash.internal.connection;

import dev.interlock.redis.hash.internal.push.Listeners;
import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.ByteArrayCodec;

/** Connections of a client that the application owns and may use for other things as well. */
final class ApplicationConnections implements Connections {
  private final RedisClient redis;
  private final OpenConnections opened = new OpenConnections();

  ApplicationConnections(RedisClient redis) {
    this.redis = redis;
  }

  @Override
  public SharedConnection open() {
    return SharedConnection.to(
        opened.open(address(), () -> redis.connect(ByteArrayCodec.INSTANCE)));
  }

  @Override
  public Listeners openListeners() {
    return Listeners.of(opened.open(address(), () -> redis.connectPubSub(ByteArrayCodec.INSTANCE)));
  }

  @Override
  public void lookAgain() {
    // Where the master is, is a matter of the application's client.
  }

  @Override
  public boolean isCluster() {
    return false;
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
