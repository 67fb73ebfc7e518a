package dev.interlock.spring.internal.client;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The beans of the application among which one is looked for.
 *
 * @param only the name of the one to take, if the application says it
 * @param prefix what the names of the client's properties begin with
 */
record OwnBeans(
    ConfigurableListableBeanFactory beans, @Nullable String only, String prefix) {

  /** Names the bean that would be injected for this type; all of them if it is not clear which. */
  List<String> names(Class<?> type) {
    if (only != null) {
      return beans.containsBean(only) && beans.isTypeMatch(only, type) ? List.of(only) : List.of();
    }
    try {
      return List.of(beans.resolveNamedBean(type).getBeanName());
    } catch (NoUniqueBeanDefinitionException e) {
      return e.getBeanNamesFound() == null ? List.of() : List.copyOf(e.getBeanNamesFound());
    } catch (NoSuchBeanDefinitionException e) {
      return List.of();
    }
  }

  /** Names all beans of this type, whichever of them the application wants. */
  List<String> all(Class<?> type) {
    return List.of(beans.getBeanNamesForType(type));
  }

  <T> T get(String name, Class<T> type) {
    return beans.getBean(name, type);
  }
}
