package dev.interlock.spring;

import dev.interlock.LockConfig;
import dev.interlock.LockListener;
import dev.interlock.spring.internal.client.ClientListener;
import dev.interlock.spring.internal.client.ClientNames;
import java.util.List;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Gives the settings of a client what the starter gives those of its own: the application's
 * {@link LockListener} beans, among them those of the meters and of the endpoint. For applications
 * that open their {@code LockClient} bean themselves. Thread-safe.
 */
public final class LockClientConfigurer {
  private final List<LockListener> listeners;
  private final ConfigurableListableBeanFactory beans;
  private volatile boolean used;

  LockClientConfigurer(List<LockListener> listeners, ConfigurableListableBeanFactory beans) {
    this.listeners = listeners;
    this.beans = beans;
  }

  /**
   * Adds the listeners.
   *
   * @param config what the client would be opened with
   * @return the same with the listeners
   */
  public LockConfig configure(LockConfig config) {
    return configure(ClientNames.DEFAULT, config);
  }

  /**
   * Adds the listeners, for an application with several clients: meters and endpoint tell them
   * apart.
   *
   * @param client the name of the client, usually that of its bean
   * @param config what the client would be opened with
   * @return the same with the listeners
   */
  public LockConfig configure(String client, LockConfig config) {
    used = true;
    return listening(client, config);
  }

  /**
   * Adds the listeners for a client that is a bean, under the name that the starter knows it by.
   *
   * @param bean the name of the bean
   * @param config what the client would be opened with
   * @return the same with the listeners
   */
  public LockConfig configureBean(String bean, LockConfig config) {
    return configure(ClientNames.of(bean, beans), config);
  }

  /** Adds the listeners to what the starter opens under a name. */
  LockConfig listening(String client, LockConfig config) {
    LockConfig.Builder builder = config.toBuilder();
    for (LockListener listener : listeners) {
      builder.listener(listener instanceof ClientListener each ? each.forClient(client) : listener);
    }
    return builder.build();
  }

  /** Whether there are listeners that the client without a name, or an own one, was not given. */
  boolean isForgotten() {
    return !used && !listeners.isEmpty();
  }
}
