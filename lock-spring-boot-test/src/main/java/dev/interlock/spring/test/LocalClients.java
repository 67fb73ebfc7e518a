package dev.interlock.spring.test;

import dev.interlock.LockClient;
import dev.interlock.spring.LockClientConfigurer;
import java.lang.reflect.AnnotatedElement;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.Ordered;

/** Puts clients of locks in the JVM in the place of the application's. */
final class LocalClients implements BeanDefinitionRegistryPostProcessor, Ordered {
  static final String TEST_LOCKS = "interlockTestLocks";

  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE; // when all definitions are there
  }

  @Override
  public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
    RootBeanDefinition locks = new RootBeanDefinition(TestLocks.class, TestLocks::new);
    locks.setDestroyMethodName("close");
    registry.registerBeanDefinition(TEST_LOCKS, locks);
  }

  @Override
  public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
    BeanDefinitionRegistry registry = (BeanDefinitionRegistry) beans;
    for (String name : beans.getBeanNamesForType(LockClient.class, true, false)) {
      if (registry.containsBeanDefinition(name)) {
        RootBeanDefinition local = local(beans, name, beans.getMergedBeanDefinition(name));
        registry.removeBeanDefinition(name);
        registry.registerBeanDefinition(name, local);
      }
    }
  }

  private static RootBeanDefinition local(BeanFactory beans, String name, BeanDefinition replaced) {
    RootBeanDefinition local = new RootBeanDefinition(LockClient.class, () -> open(beans, name));
    local.setPrimary(replaced.isPrimary());
    local.setFallback(replaced.isFallback());
    local.setAutowireCandidate(replaced.isAutowireCandidate());
    local.setDestroyMethodName("close");
    if (replaced instanceof RootBeanDefinition old) {
      local.copyQualifiersFrom(old);
      for (String attribute : old.attributeNames()) {
        local.setAttribute(attribute, old.getAttribute(attribute));
      }
      local.setDefaultCandidate(old.isDefaultCandidate());
      AnnotatedElement method = old.getResolvedFactoryMethod();
      local.setQualifiedElement(method == null ? old.getQualifiedElement() : method);
    }
    return local;
  }

  private static LockClient open(BeanFactory beans, String name) {
    // The listeners of the application's meters and of its endpoint hear of these locks, too.
    LockClientConfigurer configurer =
        beans.getBeanProvider(LockClientConfigurer.class).getIfAvailable();
    return beans
        .getBean(TEST_LOCKS, TestLocks.class)
        .open(name, config -> configurer == null ? config : configurer.configureBean(name, config));
  }
}
