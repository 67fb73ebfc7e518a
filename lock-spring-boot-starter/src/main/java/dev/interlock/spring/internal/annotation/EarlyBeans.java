package dev.interlock.spring.internal.annotation;

import dev.interlock.LockConfigurationException;
import org.springframework.aop.framework.autoproxy.AbstractAutoProxyCreator;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanFactory;

/**
 * Refuses beans with methods to be locked that are made before what makes the proxies, for example
 * because an ordered {@link BeanPostProcessor} needs them: nothing would lock their methods.
 */
public final class EarlyBeans implements BeanFactoryPostProcessor {
  private final LockedMethods methods;

  public EarlyBeans(LockedMethods methods) {
    this.methods = methods;
  }

  @Override
  public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
    beans.addBeanPostProcessor(new Check(methods, (AbstractBeanFactory) beans));
  }

  /** Comes before all others, and so to the beans that are made for these too. */
  private record Check(LockedMethods methods, AbstractBeanFactory beans)
      implements BeanPostProcessor {
    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
      if (!hasProxies() && LockedAdvisor.isFor(bean.getClass(), methods)) {
        throw new LockConfigurationException(
            "@Locked on methods of the bean '%s' has no effect: an ordered BeanPostProcessor needs the bean, which is made before there are proxies; let that one ask an ObjectProvider for it"
                .formatted(name));
      }
      return bean;
    }

    private boolean hasProxies() {
      return beans.getBeanPostProcessors().stream()
          .anyMatch(AbstractAutoProxyCreator.class::isInstance);
    }
  }
}
