package dev.interlock.spring;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.spring.internal.client.ClientNames;
import dev.interlock.spring.internal.client.ClientOpener;
import dev.interlock.spring.internal.client.ClientSettings;
import dev.interlock.spring.internal.lease.LockGates;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/** Opens the clients of an application as its properties say. */
final class NamedClients {
  static final String BEAN = "interlockNamedClients";

  private static final String CLIENT = "LockClient";
  private static final String TEMPLATE = "LockTemplate";

  private final InterlockProperties properties;
  private final ConfigurableListableBeanFactory beans;
  private final LockClientConfigurer configurer;
  private final ObjectProvider<LockConfigCustomizer> customizers;

  NamedClients(
      InterlockProperties properties,
      ConfigurableListableBeanFactory beans,
      LockClientConfigurer configurer,
      ObjectProvider<LockConfigCustomizer> customizers) {
    this.properties = properties;
    this.beans = beans;
    this.configurer = configurer;
    this.customizers = customizers;
  }

  /** Opens the client of the properties that are under no name. */
  LockClient unnamed() {
    // Not as one with a name, which says nothing of the one without.
    return open(
        "interlock", ClientNames.DEFAULT, properties.client().settings(), configurer::configure);
  }

  /** Opens the client of this name. */
  LockClient client(String name) {
    InterlockProperties.Client client = properties.clients().get(name);
    if (client == null) {
      throw new IllegalStateException("registered without properties: " + name);
    }
    return open(
        "interlock.clients." + name,
        name,
        client.settings(),
        read -> configurer.listening(name, read));
  }

  /** Makes the template over the client of this name. */
  LockTemplate template(String name) {
    return new LockTemplate(beans.getBean(LockGates.class).get(name));
  }

  private LockClient open(
      String prefix, String name, ClientSettings settings, UnaryOperator<LockConfig> listening) {
    return new ClientOpener(prefix, settings, beans).open(read -> {
      LockConfig.Builder config = listening.apply(read).toBuilder();
      customizers.orderedStream().forEach(customizer -> customizer.customize(name, config));
      return config.build();
    });
  }

  /** Reads what the environment says of the clients with a name. */
  static Map<String, InterlockProperties.Client> properties(Environment environment) {
    return Binder.get(environment)
        .bind("interlock.clients", Bindable.mapOf(String.class, InterlockProperties.Client.class))
        .orElse(Map.of());
  }

  /** The bean of the client with this name. */
  static String bean(String name) {
    return name + CLIENT;
  }

  /** Makes two beans of each name. They are injected by their qualifier only. */
  static final class Registrar implements ImportBeanDefinitionRegistrar, EnvironmentAware {
    private Set<String> names = Set.of();

    @Override
    public void setEnvironment(Environment environment) {
      names = properties(environment).keySet();
    }

    @Override
    public void registerBeanDefinitions(
        AnnotationMetadata importing, BeanDefinitionRegistry registry) {
      if (names.contains(ClientNames.DEFAULT)) {
        throw new LockConfigurationException(
            "interlock.clients.default is the client without a name: set interlock.uri and so on");
      }
      for (String name : names) {
        register(name, "client", CLIENT, LockClient.class, registry);
        register(name, "template", TEMPLATE, LockTemplate.class, registry);
      }
    }

    private static void register(
        String name, String method, String suffix, Class<?> type, BeanDefinitionRegistry registry) {
      RootBeanDefinition definition = new RootBeanDefinition();
      definition.setTargetType(ResolvableType.forClass(type));
      definition.setFactoryBeanName(BEAN);
      definition.setFactoryMethodName(method);
      definition.getConstructorArgumentValues().addIndexedArgumentValue(0, name);
      definition.setDefaultCandidate(false);
      definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, name));
      if (type == LockClient.class) {
        definition.setDestroyMethodName("close");
      }
      String bean = name + suffix;
      if (registry.isBeanNameInUse(bean)) {
        throw new LockConfigurationException(
            "the application has a bean '%s', and interlock.clients.%s makes one of that name: rename the bean, or take interlock.clients.%2$s away"
                .formatted(bean, name));
      }
      registry.registerBeanDefinition(bean, definition);
    }
  }
}
