package dev.interlock.spring;

import dev.interlock.LockConfig;
import dev.interlock.LockListener;
import java.util.List;

/**
 * Gives the settings of a client what the starter gives those of its own: the application's
 * {@link LockListener} beans, among them those of the meters and of the endpoint. For applications
 * that open their {@code LockClient} bean themselves. Thread-safe.
 */
public final class LockClientConfigurer {
  private final List<LockListener> listeners;
  private volatile boolean used;

  LockClientConfigurer(List<LockListener> listeners) {
    this.listeners = listeners;
  }

  /**
   * Adds the listeners.
   *
   * @param config what the client would be opened with
   * @return the same with the listeners
   */
  public LockConfig configure(LockConfig config) {
    used = true;
    LockConfig.Builder builder = config.toBuilder();
    listeners.forEach(builder::listener);
    return builder.build();
  }

  /** Whether there are listeners that no client was given. */
  boolean isForgotten() {
    return !used && !listeners.isEmpty();
  }
}
