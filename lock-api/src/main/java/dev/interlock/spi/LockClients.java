package dev.interlock.spi;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.internal.ClientFactory;
import java.util.function.Function;

/**
 * Puts the engine before a backend. For providers that offer a {@code using(...)} method for a pool
 * which the application owns, and for tests of a backend; applications use
 * {@link dev.interlock.Locks}.
 */
public final class LockClients {
  private LockClients() {}

  /**
   * Opens a client over a backend that is made here and now.
   *
   * @param provider the kind of backend
   * @param config its settings; checked against the provider's options
   * @param opener makes the backend, in place of {@link LockProvider#open}
   * @return the client; closing it closes the backend
   * @throws dev.interlock.LockConfigurationException if the settings are wrong
   */
  public static LockClient open(
      LockProvider provider, LockConfig config, Function<ClientId, LockBackend> opener) {
    return ClientFactory.open(provider, config, opener);
  }
}
