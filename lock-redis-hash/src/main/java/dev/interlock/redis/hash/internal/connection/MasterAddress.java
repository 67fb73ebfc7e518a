package dev.interlock.redis.hash.internal.connection;

import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.SocketAddressResolver;
import java.net.SocketAddress;
import java.util.function.Supplier;

/**
 * Leads a client to the master of a Sentinel set whenever it connects, also by itself. Thread-safe.
 */
final class MasterAddress extends SocketAddressResolver {
  private final Supplier<SocketAddress> master;

  /** Asks for it whenever it is needed, which does not block. */
  MasterAddress(Supplier<SocketAddress> master) {
    this.master = master;
  }

  @Override
  public SocketAddress resolve(RedisURI uri) {
    return master.get();
  }
}
