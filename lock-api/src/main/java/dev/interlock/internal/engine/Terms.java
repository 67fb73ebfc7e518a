package dev.interlock.internal.engine;

import dev.interlock.Capability;
import dev.interlock.UnsupportedCapabilityException;
import java.time.Duration;
import java.util.Set;

/**
 * What a client's provider and settings say of every request.
 *
 * @param provider the provider's id
 * @param capabilities what it promises
 * @param fairByDefault what a request gets that does not say
 * @param defaultLease the lease of a request that names none
 */
public record Terms(
    String provider, Set<Capability> capabilities, boolean fairByDefault, Duration defaultLease) {

  /** Copies the set. */
  public Terms {
    capabilities = Set.copyOf(capabilities);
  }

  boolean has(Capability capability) {
    return capabilities.contains(capability);
  }

  void require(Capability capability, String asked) {
    if (!has(capability)) {
      throw new UnsupportedCapabilityException(
          "%s needs the capability %s, which the provider '%s' does not declare"
              .formatted(asked, capability, provider));
    }
  }
}
