package dev.interlock.spring;

import dev.interlock.LockClient;
import dev.interlock.spring.internal.lease.LockGates;
import dev.interlock.spring.internal.observability.HeldLocks;
import dev.interlock.spring.internal.observability.LockHealthIndicator;
import dev.interlock.spring.internal.observability.MeterListener;
import dev.interlock.spring.internal.observability.ObservingMeter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.util.Map;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Meters, observations, health and the endpoint, each where its library is present. */
@AutoConfiguration(
    after = InterlockAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
    })
@ConditionalOnBooleanProperty(name = "interlock.enabled", matchIfMissing = true)
@Import({
  InterlockObservabilityAutoConfiguration.Meters.class,
  InterlockObservabilityAutoConfiguration.Observations.class,
  InterlockObservabilityAutoConfiguration.HealthOfLocks.class,
  InterlockObservabilityAutoConfiguration.Operation.class
})
final class InterlockObservabilityAutoConfiguration {

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "io.micrometer.core.instrument.MeterRegistry")
  static final class Meters {
    @Bean
    @ConditionalOnBean(MeterRegistry.class)
    MeterListener lockMeterListener(MeterRegistry registry, InterlockProperties properties) {
      return new MeterListener(registry, properties.metrics().lockNames());
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "io.micrometer.observation.ObservationRegistry")
  static final class Observations {
    @Bean
    @ConditionalOnBean(ObservationRegistry.class)
    ObservingMeter lockObservingMeter(ObservationRegistry registry) {
      return new ObservingMeter(registry);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
  static final class HealthOfLocks {
    @Bean
    @ConditionalOnEnabledHealthIndicator("locks")
    @ConditionalOnMissingBean(name = "locksHealthIndicator")
    HealthContributor locksHealthIndicator(LockGates gates) {
      Map<String, LockClient> clients = gates.clients();
      return clients.size() == 1
          ? new LockHealthIndicator(clients.values().iterator().next())
          : CompositeHealthContributor.fromMap(clients, LockHealthIndicator::new);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(
      name =
          "org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint")
  static final class Operation {
    @Bean
    @ConditionalOnAvailableEndpoint(LocksEndpoint.class)
    HeldLocks heldLocks() {
      return new HeldLocks();
    }

    @Bean
    @ConditionalOnAvailableEndpoint
    LocksEndpoint locksEndpoint(LockClient client, LockGates gates, HeldLocks held) {
      return new LocksEndpoint(client, gates, held);
    }
  }
}
