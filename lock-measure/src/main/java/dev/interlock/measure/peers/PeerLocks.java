package dev.interlock.measure.peers;

import dev.interlock.Capability;
import dev.interlock.measure.SectionClient;
import java.time.Duration;
import java.util.Set;

/** A library's client, as far as the kit can judge its locks. Thread-safe. */
public interface PeerLocks extends SectionClient {

  /** What its locks promise. */
  Set<Capability> capabilities();

  /** A lock whose lease, where the call gives none, is the library's default. */
  @Override
  PeerLock lock(String name);

  /** A lock whose lease, where the call gives none, has this length and is renewed. */
  PeerLock renewed(String name, Duration lease);
}
