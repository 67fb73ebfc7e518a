package dev.interlock.spring.internal.client;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import java.util.function.Function;

/**
 * A connection of the application that a provider can use.
 *
 * @param start the provider, and what the connection says of its options
 * @param bean where it comes from
 * @param opening opens a client over it, with these settings or more
 */
record OwnConnection(LockConfig start, String bean, Function<LockConfig, LockClient> opening) {

  static OwnConnection of(String provider, String bean, Function<LockConfig, LockClient> opening) {
    return new OwnConnection(LockConfig.builder(provider).build(), bean, opening);
  }

  String provider() {
    return start.provider();
  }
}
