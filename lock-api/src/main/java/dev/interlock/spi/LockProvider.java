package dev.interlock.spi;

import dev.interlock.Capability;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * A kind of backend. Found by {@link java.util.ServiceLoader}: name the class in
 * {@code META-INF/services/dev.interlock.spi.LockProvider}, or provide it in
 * {@code module-info.java}.
 */
public interface LockProvider {

  /**
   * Returns the id, which is the URI scheme.
   *
   * @return lower-case letters, digits and hyphens
   */
  String id();

  /**
   * Returns what a client with these settings promises.
   *
   * @param config checked settings; without any option when {@link dev.interlock.Locks#providers()}
   *     asks in general
   * @return the capabilities
   */
  Set<Capability> capabilities(LockConfig config);

  /**
   * Returns the options it understands besides {@link dev.interlock.CommonOptions#ALL}.
   *
   * @return the options, of different names
   */
  List<Option<?>> options();

  /**
   * Finds settings that are each fine but do not go together.
   *
   * @param config settings that are known and well-formed
   * @return one sentence for each conflict, without secrets
   */
  default List<String> conflicts(LockConfig config) {
    return List.of();
  }

  /**
   * Tells what a request gets that does not say whether it is fair.
   *
   * @param config checked settings
   * @return true for the order of arrival
   */
  default boolean fairByDefault(LockConfig config) {
    return false;
  }

  /**
   * Tells in which steps the server counts the time of a lease. A hold may outlast its lease by one
   * such step, and never ends before its lease: a lease of 1.5 s that is kept in whole seconds
   * lasts 2 s. What a client believes does not change, for its validity ends with the lease it
   * asked for.
   *
   * @param config checked settings
   * @return zero unless the server rounds leases up by more than a few milliseconds
   */
  default Duration leaseGranularity(LockConfig config) {
    return Duration.ZERO;
  }

  /**
   * Connects.
   *
   * @param config checked settings
   * @param context who opens it, and what else it may use
   * @return an open backend that has spoken to its server
   * @throws dev.interlock.BackendUnavailableException if the server cannot be reached or refuses
   */
  LockBackend open(LockConfig config, BackendContext context);
}
