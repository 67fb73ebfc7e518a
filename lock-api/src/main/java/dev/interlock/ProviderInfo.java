package dev.interlock;

import java.util.Set;

/**
 * A provider found on the class path or module path.
 *
 * @param id the URI scheme that selects it
 * @param version the version of its artifact, or "unknown"
 * @param capabilities what it promises
 * @param location where it was loaded from: a jar, a directory or a module
 */
public record ProviderInfo(
    String id, String version, Set<Capability> capabilities, String location) {

  /** Copies the set. */
  public ProviderInfo {
    capabilities = Set.copyOf(capabilities);
  }
}
