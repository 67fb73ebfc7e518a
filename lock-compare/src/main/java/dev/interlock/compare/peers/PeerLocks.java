package dev.interlock.compare.peers;

import dev.interlock.Capability;
import java.time.Duration;
import java.util.Set;

/** A library's client. Thread-safe. */
interface PeerLocks extends AutoCloseable {

  /** The version in the manifest of the library that has this class. */
  static String version(Class<?> type) {
    String version = type.getPackage().getImplementationVersion();
    return version == null ? "unknown" : version;
  }

  Set<Capability> capabilities();

  /** A lock whose lease, where the call gives none, is the library's default. */
  PeerLock lock(String name);

  /** A lock whose lease, where the call gives none, has this length and is renewed. */
  PeerLock renewed(String name, Duration lease);

  /** Ends the client. */
  @Override
  void close();
}
