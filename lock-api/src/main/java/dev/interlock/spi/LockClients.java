package dev.interlock.spi;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.internal.opening.ClientFactory;
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
      LockProvider provider, LockConfig config, Function<BackendContext, LockBackend> opener) {
    return ClientFactory.open(provider, config, opener);
  }

  /**
   * Finds the provider that settings are for, without opening anything.
   *
   * @param config its settings
   * @return the provider, which understands them
   * @throws dev.interlock.LockConfigurationException if a setting is wrong
   * @throws dev.interlock.LockProviderNotFoundException if there is no such provider
   */
  public static LockProvider provider(LockConfig config) {
    return ClientFactory.provider(config);
  }

  /**
   * Gives up a handle without a release: the lock stays held until its lease runs out, also when
   * the client is closed before. For locks that nobody may take again within a time. Does no I/O;
   * does nothing if the handle was released or the lease was lost before.
   *
   * @param lease a fixed one, that is not renewed, from {@link LockClient#acquire},
   *     {@link LockClient#tryAcquire} or {@link LockClient#acquireAsync}
   * @throws IllegalArgumentException if it is none of these
   */
  public static void keep(Lease lease) {
    ClientFactory.keep(lease);
  }
}
