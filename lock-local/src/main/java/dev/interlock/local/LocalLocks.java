package dev.interlock.local;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.spi.LockClients;

/** Opens clients of a {@link LocalSpace} that the caller has made. */
public final class LocalLocks {
  private LocalLocks() {}

  /**
   * Opens a client with the default settings.
   *
   * @param space whose locks it uses
   * @return the client
   */
  public static LockClient using(LocalSpace space) {
    return using(space, LockConfig.builder(LocalProvider.ID).build());
  }

  /**
   * Opens a client.
   *
   * @param space whose locks it uses; it stands in for the namespace, which is ignored
   * @param config for the provider "local"
   * @return the client
   * @throws dev.interlock.LockConfigurationException if the settings are wrong
   */
  public static LockClient using(LocalSpace space, LockConfig config) {
    return LockClients.open(
        new LocalProvider(), config, context -> new LocalBackend(space, context.client()));
  }
}
