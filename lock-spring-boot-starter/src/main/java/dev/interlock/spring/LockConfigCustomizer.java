package dev.interlock.spring;

import dev.interlock.LockConfig;

/**
 * Changes what the starter opens its {@code LockClient} beans with. Each bean of this type is
 * asked, in their order, after the properties and the {@code LockListener} beans. An application
 * that opens its client itself needs none.
 */
@FunctionalInterface
public interface LockConfigCustomizer {

  /**
   * Changes the settings.
   *
   * @param config what the properties say
   */
  void customize(LockConfig.Builder config);

  /**
   * Changes the settings of one of several clients; unless overridden, of each alike.
   *
   * @param client its name under {@code interlock.clients}; "default" for the one without a name
   * @param config what the properties say
   */
  default void customize(String client, LockConfig.Builder config) {
    customize(config);
  }
}
