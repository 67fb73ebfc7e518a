package dev.interlock.spring.internal.client;

import dev.interlock.LockClient;
import dev.interlock.LockConfigurationException;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;

/**
 * What the clients of an application are called: as under {@code interlock.clients}, and those that
 * the application opens itself as their beans.
 */
public final class ClientNames {
  /** The client that {@code @Locked} uses unless it says otherwise. */
  public static final String DEFAULT = "default";

  /** The bean of that client, if the starter opens it. */
  public static final String DEFAULT_BEAN = "lockClient";

  private ClientNames() {}

  /**
   * The names of the beans by the names of the clients, whatever is instantiated yet.
   *
   * @throws LockConfigurationException if two of them have one name
   */
  public static Map<String, String> beans(ConfigurableListableBeanFactory beans) {
    Map<String, String> names = new TreeMap<>();
    for (String bean : beans.getBeanNamesForType(LockClient.class, false, false)) {
      String name = of(bean, beans);
      String other = names.put(name, bean);
      if (other != null) {
        throw new LockConfigurationException(
            "the beans '%s' and '%s' are both the lock client '%s': rename one, or take interlock.clients.%s away"
                .formatted(other, bean, name, name));
      }
    }
    return names;
  }

  /** The name of the client that is this bean. */
  public static String of(String bean, ConfigurableListableBeanFactory beans) {
    if (bean.equals(DEFAULT_BEAN)) {
      return DEFAULT;
    }
    return beans.containsBeanDefinition(bean) ? of(beans.getBeanDefinition(bean), bean) : bean;
  }

  /** By its qualifier: unlike an attribute, one is kept when a definition is compiled ahead. */
  private static String of(BeanDefinition definition, String bean) {
    AutowireCandidateQualifier qualifier = definition instanceof AbstractBeanDefinition known
        ? known.getQualifier(Qualifier.class.getName())
        : null;
    return qualifier != null
            && qualifier.getAttribute(AutowireCandidateQualifier.VALUE_KEY) instanceof String name
        ? name
        : bean;
  }
}
