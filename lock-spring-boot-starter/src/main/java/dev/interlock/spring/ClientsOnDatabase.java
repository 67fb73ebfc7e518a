package dev.interlock.spring;

import dev.interlock.Locks;
import dev.interlock.ProviderInfo;
import dev.interlock.spring.internal.client.ClientNames;
import dev.interlock.spring.internal.client.DatabaseConnections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitializationDetector;
import org.springframework.core.env.Environment;
import org.springframework.core.type.MethodMetadata;
import org.springframework.util.StringUtils;

/**
 * Lets Flyway, Liquibase and scripts make the tables before a client of the starter looks for them.
 * Only for clients on the application's own {@code DataSource}: a migration may use the others.
 */
final class ClientsOnDatabase implements DependsOnDatabaseInitializationDetector {
  private static final Set<String> PROVIDERS =
      Set.of(DatabaseConnections.MYSQL, DatabaseConnections.POSTGRES);

  private final Environment environment;

  ClientsOnDatabase(Environment environment) {
    this.environment = environment;
  }

  @Override
  public Set<String> detect(ConfigurableListableBeanFactory beans) {
    Set<String> found = new HashSet<>();
    List<String> sources = List.of(beans.getBeanNamesForType(DataSource.class, true, false));
    if (sources.isEmpty()) {
      return found;
    }
    Set<String> providers =
        Locks.providers().stream().map(ProviderInfo::id).collect(Collectors.toSet());
    InterlockProperties.Client unnamed =
        Binder.get(environment).bindOrCreate("interlock", InterlockProperties.Client.class);
    if (isOurs(ClientNames.DEFAULT_BEAN, beans) && mayUse(sources, providers, unnamed)) {
      found.add(ClientNames.DEFAULT_BEAN);
    }
    NamedClients.properties(environment).forEach((name, client) -> {
      if (mayUse(sources, providers, client)) {
        found.add(NamedClients.bean(name));
      }
    });
    return found;
  }

  /** Whether it is the starter's, and not one of that name that the application opens itself. */
  private static boolean isOurs(String bean, ConfigurableListableBeanFactory beans) {
    BeanDefinition definition =
        beans.containsBeanDefinition(bean) ? beans.getBeanDefinition(bean) : null;
    MethodMetadata method = definition instanceof AnnotatedBeanDefinition annotated
        ? annotated.getFactoryMethodMetadata()
        : null;
    return method != null
        && method.getDeclaringClassName().equals(InterlockAutoConfiguration.class.getName());
  }

  private static boolean mayUse(
      List<String> sources, Set<String> providers, InterlockProperties.Client client) {
    String provider = client.provider();
    String bean = client.bean();
    return !StringUtils.hasText(client.uri())
        && (!StringUtils.hasText(bean) || sources.contains(bean.trim()))
        && (StringUtils.hasText(provider)
            ? PROVIDERS.contains(provider.trim())
            : PROVIDERS.stream().anyMatch(providers::contains));
  }
}
