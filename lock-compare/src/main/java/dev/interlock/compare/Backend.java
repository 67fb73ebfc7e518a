package dev.interlock.compare;

import dev.interlock.tck.TckServer;
import java.util.Map;
import java.util.Optional;

/** A provider's server while it is compared. Thread-safe. */
interface Backend extends AutoCloseable {

  /** Opens a client; may carry a password. */
  String uri();

  /** Where the server comes from, for the report. */
  String origin();

  /** Whether the state is private to this JVM. */
  boolean isInOneJvm();

  /** Asks the server past the provider; empty if there is no way to. */
  Optional<ServerProbe> probe();

  /** Injures the server; empty if there is no way to. */
  Optional<TckServer> faults();

  /** Rules that this provider is known to break on this server, with reasons. */
  default Map<String, String> waivers() {
    return Map.of();
  }

  @Override
  void close();
}
