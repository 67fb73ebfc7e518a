package dev.interlock.spi;

import dev.interlock.LockConfig;
import dev.interlock.internal.opening.ClientFactory;
import java.util.Objects;

/** What a provider gets to know of the client that opens a backend. Immutable, thread-safe. */
public final class BackendContext {
  private final ClientId client;

  private BackendContext(ClientId client) {
    this.client = client;
  }

  /**
   * Makes a context. The engine does it for each client; else for tests of a backend.
   *
   * @param client who opens a backend
   * @return the context
   */
  public static BackendContext of(ClientId client) {
    return new BackendContext(Objects.requireNonNull(client));
  }

  /**
   * Returns who opens the backend.
   *
   * @return the client
   */
  public ClientId client() {
    return client;
  }

  /**
   * Opens another backend, of any provider, for the same client: for a backend that is made of
   * others. Blocks while it connects.
   *
   * @param config what {@link dev.interlock.Locks#open(dev.interlock.LockConfig)} would open; its
   *     listeners and its executor are not used
   * @return an open backend without an engine; whoever opens it subscribes to it and closes it
   * @throws dev.interlock.LockConfigurationException if a setting is wrong
   * @throws dev.interlock.LockProviderNotFoundException if there is no such provider
   * @throws dev.interlock.BackendUnavailableException if the server cannot be reached or refuses
   */
  public LockBackend open(LockConfig config) {
    return ClientFactory.openBackend(config, this);
  }

  /**
   * Opens another backend, of any provider, for the same client. Blocks while it connects.
   *
   * @param uri what {@link dev.interlock.Locks#open(String)} would open
   * @return an open backend without an engine; whoever opens it subscribes to it and closes it
   * @throws dev.interlock.LockConfigurationException if the URI or its options are wrong
   * @throws dev.interlock.LockProviderNotFoundException if there is no such provider
   * @throws dev.interlock.BackendUnavailableException if the server cannot be reached or refuses
   */
  public LockBackend open(String uri) {
    return open(LockConfig.parse(uri));
  }
}
