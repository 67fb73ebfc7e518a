package dev.interlock.spring;

import dev.interlock.LockClient;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockListener;
import dev.interlock.spring.internal.annotation.EarlyBeans;
import dev.interlock.spring.internal.annotation.LockedAdvisor;
import dev.interlock.spring.internal.annotation.LockedMethods;
import dev.interlock.spring.internal.call.CapabilityCheck;
import dev.interlock.spring.internal.call.LockedCalls;
import dev.interlock.spring.internal.call.LockedInterceptor;
import dev.interlock.spring.internal.call.LockedWorkLifecycle;
import dev.interlock.spring.internal.call.Strategies;
import dev.interlock.spring.internal.lease.Ending;
import dev.interlock.spring.internal.lease.LeaseCommitGuard;
import dev.interlock.spring.internal.lease.LockGate;
import dev.interlock.spring.internal.lease.LockGates;
import dev.interlock.spring.internal.lease.LockMeter;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/** The lock clients of an application, and all that uses it. */
@AutoConfiguration(
    afterName = {
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
      "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
    })
@ConditionalOnBooleanProperty(name = "interlock.enabled", matchIfMissing = true)
@EnableConfigurationProperties(InterlockProperties.class)
@Import({
  InterlockAutoConfiguration.Proxies.class,
  NamedClients.Registrar.class,
  InterlockAutoConfiguration.Transactions.class,
  InterlockAutoConfiguration.Integration.class
})
final class InterlockAutoConfiguration {
  private static final String GATES = "lockGates";

  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  LockClient lockClient(NamedClients clients) {
    return clients.unnamed();
  }

  @Bean(NamedClients.BEAN)
  NamedClients interlockNamedClients(
      InterlockProperties properties,
      ConfigurableListableBeanFactory beans,
      LockClientConfigurer configurer,
      ObjectProvider<LockConfigCustomizer> customizers) {
    return new NamedClients(properties, beans, configurer, customizers);
  }

  @Bean
  LockClientConfigurer lockClientConfigurer(
      ObjectProvider<LockListener> listeners, ConfigurableListableBeanFactory beans) {
    return new LockClientConfigurer(listeners.orderedStream().toList(), beans);
  }

  @Bean
  LockedWorkLifecycle lockedWorkLifecycle(
      ConfigurableListableBeanFactory beans, Environment environment) {
    Duration timeout = Binder.get(environment)
        .bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
        .orElse(Duration.ofSeconds(30));
    return new LockedWorkLifecycle(beans, timeout);
  }

  @Bean(GATES)
  LockGates lockGates(
      ConfigurableListableBeanFactory beans,
      ObjectProvider<LockMeter> meters,
      LockedWorkLifecycle lifecycle) {
    return new LockGates(GATES, beans, meters.orderedStream().toList(), lifecycle::track);
  }

  @Bean
  LockGate lockGate(LockClient client, LockGates gates, LockClientConfigurer configurer) {
    if (configurer.isForgotten()) {
      Ending.LOG.log(
          Level.WARNING,
          "The application's own LockClient has no listeners: the meters and the endpoint see"
              + " nothing of it. Open it with LockClientConfigurer.configure(config)");
    }
    return gates.of(client);
  }

  @Bean
  @ConditionalOnMissingBean
  LockTemplate lockTemplate(LockGate gate) {
    return new LockTemplate(gate);
  }

  @Bean(destroyMethod = "close")
  LockedCalls lockedCalls(
      LockGate gate,
      LockGates gates,
      LockedWorkLifecycle lifecycle,
      ObjectProvider<LockNaming> naming,
      ObjectProvider<LockFailureStrategy> failures,
      InterlockProperties properties,
      Environment environment) {
    Duration waitFor = properties.locked().waitFor();
    if (waitFor.isNegative()) {
      throw new LockConfigurationException("interlock.locked.wait-for is negative: " + waitFor);
    }
    return new LockedCalls(
        gate,
        gates,
        lifecycle,
        new Strategies(naming, failures),
        waitFor,
        environment.getProperty("spring.application.name", "application"));
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static LockedMethods lockedMethods(ConfigurableListableBeanFactory beans) {
    return new LockedMethods(beans);
  }

  @Bean
  static EarlyBeans lockEarlyBeans(LockedMethods methods) {
    return new EarlyBeans(methods);
  }

  @Bean
  static CapabilityCheck lockCapabilityCheck(
      LockedMethods methods, ObjectProvider<LockedCalls> calls) {
    return new CapabilityCheck(methods, calls::getObject);
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static DefaultPointcutAdvisor lockedAdvisor(
      LockedMethods methods, ObjectProvider<LockedCalls> calls, Environment environment) {
    return LockedAdvisor.create(
        methods,
        new LockedInterceptor(methods, calls::getObject),
        environment.getProperty(
            "interlock.locked.order", Integer.class, LockedAdvisor.DEFAULT_ORDER));
  }

  /** Makes proxies also where nothing else asks for them. */
  static final class Proxies implements ImportBeanDefinitionRegistrar {
    @Override
    public void registerBeanDefinitions(
        AnnotationMetadata importing, BeanDefinitionRegistry registry) {
      AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
    }
  }

  /** Minds transactions. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "org.springframework.transaction.TransactionExecutionListener")
  static final class Transactions {
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LeaseCommitGuard leaseCommitGuard() {
      return new LeaseCommitGuard();
    }
  }

  /** Serves Spring Integration. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "org.springframework.integration.support.locks.RenewableLockRegistry")
  static final class Integration {
    @Bean
    @ConditionalOnMissingBean(type = "org.springframework.integration.support.locks.LockRegistry")
    InterlockLockRegistry interlockLockRegistry(LockClient client, InterlockProperties properties) {
      Duration lease = properties.lease();
      return lease == null
          ? new InterlockLockRegistry(client)
          : new InterlockLockRegistry(client, lease);
    }
  }
}
