package dev.interlock;

import dev.interlock.internal.opening.ClientFactory;
import java.util.List;

/**
 * Opens lock clients. The URI's scheme is the id of the provider, whose jar must be on the class
 * path or module path. Thread-safe. Opening connects to the server: it blocks for as long as the
 * provider's time limits say, and does not react to interruption (the flag stays set).
 */
public final class Locks {
  private Locks() {}

  /**
   * Opens the backend named by the system property {@code interlock.uri}, or else by the
   * environment variable {@code INTERLOCK_URI}.
   *
   * @return an open client
   * @throws LockConfigurationException if neither is set, the URI is wrong, or the server or a
   *     library does not fit
   * @throws LockProviderNotFoundException if there is no provider for the scheme
   * @throws BackendUnavailableException if the server cannot be reached or refuses
   */
  public static LockClient open() {
    String uri = System.getProperty("interlock.uri", System.getenv("INTERLOCK_URI"));
    if (uri == null || uri.isBlank()) {
      throw new LockConfigurationException(
          "No lock backend is configured. Set the system property interlock.uri or the environment"
              + " variable INTERLOCK_URI, for example -Dinterlock.uri=local://");
    }
    return open(uri);
  }

  /**
   * Opens a backend.
   *
   * @param uri for example {@code local://} or {@code redis-setnx://localhost:6379/0?lease=PT10S}
   * @return an open client
   * @throws LockConfigurationException if the URI is wrong, or the server or a library does not
   *     fit; names every fault, and no secret
   * @throws LockProviderNotFoundException if there is no provider for the scheme
   * @throws BackendUnavailableException if the server cannot be reached or refuses
   */
  public static LockClient open(String uri) {
    return ClientFactory.open(uri);
  }

  /**
   * Opens a backend.
   *
   * @param config the same options as a URI's, typed
   * @return an open client
   * @throws LockConfigurationException if a setting is wrong, or the server or a library does not
   *     fit; names every fault, and no secret
   * @throws LockProviderNotFoundException if there is no provider with that id
   * @throws BackendUnavailableException if the server cannot be reached or refuses
   */
  public static LockClient open(LockConfig config) {
    return ClientFactory.open(config);
  }

  /**
   * Lists the providers that can be opened. One that fails to load is logged and left out.
   *
   * @return the providers, by id
   */
  public static List<ProviderInfo> providers() {
    return ClientFactory.providers();
  }
}
