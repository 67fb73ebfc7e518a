package dev.interlock.compare;

import dev.interlock.tck.TckServer;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A provider on a server, in a namespace of its own.
 *
 * @param uri opens a client
 * @param origin where the server comes from
 * @param probe asks the server past the provider
 * @param faults injures the server
 * @param waivers rules that the provider is known to break on it, with reasons
 * @param closer ends the server, or what is connected to it
 */
record ServerBackend(
    String uri,
    String origin,
    Optional<ServerProbe> probe,
    Optional<TckServer> faults,
    Map<String, String> waivers,
    Runnable closer)
    implements Backend {
  static final String NAMESPACE = "namespace";
  static final String GIVEN = "given URI";

  /** A server that is used through the provider only. */
  static ServerBackend behindProvider(String uri) {
    return new ServerBackend(uri, GIVEN, Optional.empty(), Optional.empty(), Map.of(), () -> {});
  }

  static String freshNamespace() {
    return "compare-" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
  }

  @Override
  public boolean isInOneJvm() {
    return false;
  }

  @Override
  public void close() {
    closer.run();
  }
}
