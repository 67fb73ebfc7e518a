package dev.interlock.redis.hash.internal.push;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Tells the first confirmation of a subscription on a connection, before which messages may have
 * been missed, from those that were asked for as a sign of life. Lettuce connects again by itself,
 * and repeats a subscription then, once: if that is refused nobody listens, so it has to be asked
 * for again. Thread-safe.
 */
public final class Subscription implements RedisConnectionStateListener {
  private final AtomicBoolean confirmed = new AtomicBoolean();

  /** Notes a confirmation, and answers whether it is the first since the connection was made. */
  public boolean confirm() {
    return confirmed.compareAndSet(false, true);
  }

  @Override
  public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
    confirmed.set(false);
  }
}
