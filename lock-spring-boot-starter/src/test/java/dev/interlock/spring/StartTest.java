package dev.interlock.spring;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.CommonOptions;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockListener;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** What an application gets at its start, and what it reads if it does not start. */
class StartTest {
  private final ApplicationContextRunner runner = new ApplicationContextRunner()
      .withConfiguration(AutoConfigurations.of(
          InterlockAutoConfiguration.class, InterlockObservabilityAutoConfiguration.class));

  @Test
  void one_client_that_is_closed_with_the_context() {
    LockClient[] client = new LockClient[1];
    runner.withPropertyValues("interlock.uri=local://").run(context -> {
      assertThat(context).hasSingleBean(LockClient.class).hasSingleBean(LockTemplate.class);
      client[0] = context.getBean(LockClient.class);
    });
    assertThatThrownBy(() -> client[0].lock("x")).isInstanceOf(BackendUnavailableException.class);
  }

  @Test
  void the_applications_own_client_takes_its_place() {
    try (LockClient own = Locks.open("local://")) {
      runner
          .withBean(LockClient.class, () -> own, definition -> definition.setDestroyMethodName(""))
          .run(context -> assertThat(context.getBean(LockClient.class)).isSameAs(own));
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnClient {
    @Bean
    LockClient ownClient(LockClientConfigurer configurer) {
      return Locks.open(configurer.configure(LockConfig.parse("local://")));
    }
  }

  @Test
  void an_own_client_gets_the_listeners_from_the_configurer_and_a_warning_without_it() {
    List<String> heard = new CopyOnWriteArrayList<>();
    LockListener listener = new LockListener() {
      @Override
      public void acquired(String name, long fencingToken, Duration waited) {
        heard.add(name);
      }
    };
    ApplicationContextRunner listening = runner.withBean(LockListener.class, () -> listener);
    listening.withUserConfiguration(OwnClient.class).run(context -> {
      context.getBean(LockTemplate.class).execute("own", Lease::name);
      assertThat(heard).containsExactly("own");
      assertThat(context.getBean(LockClientConfigurer.class).isForgotten()).isFalse();
    });
    try (LockClient own = Locks.open("local://")) {
      listening
          .withBean(LockClient.class, () -> own, definition -> definition.setDestroyMethodName(""))
          .run(context -> assertThat(context.getBean(LockClientConfigurer.class).isForgotten())
              .isTrue());
    }
  }

  @Test
  void the_starters_own_client_is_not_taken_for_one_without_listeners() {
    runner
        .withPropertyValues("interlock.uri=local://")
        .withBean(LockListener.class, () -> new LockListener() {})
        .run(context -> assertThat(context.getBean(LockClientConfigurer.class).isForgotten())
            .isFalse());
    // A client with a name says nothing of the one without.
    try (LockClient own = Locks.open("local://")) {
      runner
          .withPropertyValues("interlock.clients.second.uri=local://")
          .withBean(LockListener.class, () -> new LockListener() {})
          .withBean(LockClient.class, () -> own, definition -> {
            definition.setDestroyMethodName("");
            definition.setPrimary(true);
          })
          .run(context -> assertThat(context.getBean(LockClientConfigurer.class).isForgotten())
              .isTrue());
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Customized {
    @Bean
    @Order(2)
    LockConfigCustomizer last() {
      return config -> config.set(CommonOptions.LEASE, Duration.ofMinutes(5));
    }

    @Bean
    @Order(1)
    LockConfigCustomizer first() {
      return config -> config
          .set(CommonOptions.LEASE, Duration.ofSeconds(100))
          .set(CommonOptions.NAMESPACE, "customized");
    }
  }

  @Test
  void customizers_change_what_the_properties_say() {
    runner
        .withPropertyValues("interlock.uri=local://", "interlock.lease=20s")
        .withUserConfiguration(Customized.class)
        .run(context -> {
          try (Lease lease = context.getBean(LockClient.class).acquire(LockRequest.of("x"));
              LockClient other = Locks.open("local://?namespace=customized")) {
            assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(100));
            assertThat(other.inspect("x")).isPresent();
          }
        });
  }

  @Test
  void nothing_when_disabled() {
    runner
        .withPropertyValues("interlock.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(LockClient.class));
  }

  @Test
  void a_missing_uri_names_the_providers() {
    FailureAnalysis failure = Contexts.failure(runner);
    assertThat(failure.getDescription()).contains("interlock.uri is not set").contains("local");
    assertThat(failure.getAction()).contains("interlock.uri=local://");
  }

  @Test
  void a_missing_provider_names_its_artifact() {
    FailureAnalysis failure =
        Contexts.failure(runner.withPropertyValues("interlock.uri=quorum://h"));
    assertThat(failure.getDescription()).contains("dev.interlock:lock-quorum");
    assertThat(failure.getAction()).contains("Add the provider");
  }

  @Test
  void wrong_options_are_named_all_at_once_and_without_secrets() {
    FailureAnalysis failure = Contexts.failure(runner.withPropertyValues(
        "interlock.uri=redis-hash://u:geheim@h",
        "interlock.options.nonsense=1",
        "interlock.options.timeout=soon",
        "interlock.lease=1ms"));
    assertThat(failure.getDescription())
        .contains("nonsense")
        .contains("timeout=soon")
        .contains("lease=PT0.001S")
        .doesNotContain("geheim");
  }

  @Test
  void a_wait_that_is_negative_is_refused() {
    FailureAnalysis failure = Contexts.failure(
        runner.withPropertyValues("interlock.uri=local://", "interlock.locked.wait-for=-1s"));
    assertThat(failure.getDescription()).contains("interlock.locked.wait-for is negative: PT-1S");
  }

  @Test
  void an_option_that_is_given_twice_is_refused() {
    FailureAnalysis failure = Contexts.failure(
        runner.withPropertyValues("interlock.uri=local://?namespace=a", "interlock.namespace=b"));
    assertThat(failure.getDescription())
        .contains("namespace is set in interlock.uri and beside it");
  }

  /**
   * Spring Boot gives the keys of a map as they are written, and those of the environment small.
   */
  @ParameterizedTest
  @ValueSource(strings = {"connectTimeout", "connect-timeout", "connect_timeout", "CONNECTTIMEOUT"})
  void an_option_is_known_however_spring_boot_lets_it_be_written(String written) {
    FailureAnalysis failure = Contexts.failure(runner.withPropertyValues(
        "interlock.uri=redis-hash://127.0.0.1:1", "interlock.options." + written + "=soon"));
    assertThat(failure.getDescription()).contains("connectTimeout=soon").doesNotContain("no such");
  }

  @Test
  void an_option_of_the_environment_is_known() {
    FailureAnalysis failure =
        Contexts.failure(withEnvironment("INTERLOCK_OPTIONS_CONNECTTIMEOUT", "soon")
            .withPropertyValues("interlock.uri=redis-hash://127.0.0.1:1"));
    assertThat(failure.getDescription()).contains("connectTimeout=soon").doesNotContain("no such");
  }

  private ApplicationContextRunner withEnvironment(String variable, String value) {
    return runner.withInitializer(context -> context
        .getEnvironment()
        .getPropertySources()
        .replace(
            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
            new SystemEnvironmentPropertySource(
                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                Map.of(variable, value))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"interlock.namespce", "interlock.clients.orders.lese", "interlock.locked.waitfr"})
  void a_property_that_does_not_exist_is_refused(String property) {
    runner
        .withPropertyValues(
            "interlock.uri=local://", "interlock.clients.orders.uri=local://", property + "=9s")
        .run(context -> assertThat(context)
            .getFailure()
            .rootCause()
            .hasMessageContaining("[%s] were left unbound", property));
  }

  @Test
  void a_property_that_does_not_exist_is_named_without_its_value() {
    assertThatThrownBy(
            () -> Contexts.local(List.of(), "interlock.password=s3cret", "interlock.urii=s3cret"))
        .isInstanceOf(Exception.class);
    assertThat(ErrorLog.take())
        .singleElement(as(InstanceOfAssertFactories.STRING))
        .contains("there is no property interlock.password", "interlock.urii")
        .contains("Correct the name")
        .doesNotContain("s3cret");
  }

  /** Others write there too: Kubernetes, for example, for a service whose name is interlock. */
  @Test
  void a_variable_of_the_environment_that_is_none_of_ours_is_no_fault() {
    withEnvironment("INTERLOCK_SERVICE_HOST", "10.0.0.1")
        .withPropertyValues("interlock.uri=local://")
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void an_option_that_is_written_in_two_ways_is_refused() {
    FailureAnalysis failure = Contexts.failure(runner.withPropertyValues(
        "interlock.uri=redis-hash://127.0.0.1:1",
        "interlock.options.connectTimeout=PT1S",
        "interlock.options.connect-timeout=PT2S"));
    assertThat(failure.getDescription()).contains("interlock.options.connectTimeout is set twice");
  }

  @Test
  void a_server_that_is_down_says_so() {
    FailureAnalysis failure = Contexts.failure(runner.withPropertyValues(
        "interlock.uri=redis-hash://127.0.0.1:1", "interlock.options.connectTimeout=PT0.3S"));
    assertThat(failure.getAction()).contains("Start the server");
  }

  @Test
  void an_empty_uri_is_told_from_none() {
    assertThat(Contexts.failure(runner.withPropertyValues("interlock.uri= ")).getDescription())
        .contains("interlock.uri is empty, and the application has no DataSource");
    assertThat(Contexts.failure(runner).getDescription()).contains("interlock.uri is not set");
  }

  @Test
  void two_clients_of_one_name_fail_the_start() {
    assertThat(Contexts.failure(runner
                .withPropertyValues(
                    "interlock.uri=local://", "interlock.clients.orders.uri=local://")
                .withBean("orders", LockClient.class, () -> Locks.open("local://")))
            .getDescription())
        .contains("'orders' and 'ordersLockClient' are both the lock client 'orders'");
  }

  @Test
  void a_kept_lock_outlives_the_application() {
    String namespace = "interlock.namespace=" + Contexts.namespace();
    runner
        .withPropertyValues("interlock.uri=local://", namespace)
        .withBean(Kept.class)
        .run(context -> context.getBean(Kept.class).work());
    runner.withPropertyValues("interlock.uri=local://", namespace).run(context -> {
      LockClient next = context.getBean(LockClient.class);
      assertThat(next.tryAcquire(LockRequest.of("kept"))).isEmpty();
      assertThat(next.tryAcquire(LockRequest.of("released"))).isPresent();
    });
  }

  static class Kept {
    @Locked(name = "kept", autoRelease = false, atLeast = "20s")
    public void work() {
      inner();
    }

    void inner() {
      assertThat(CurrentLease.get().name()).isEqualTo("kept");
    }
  }

  @Test
  void the_metadata_describes_every_property() throws Exception {
    StringBuilder metadata = new StringBuilder();
    for (URL file : Collections.list(
        getClass().getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
      metadata.append(new String(file.openStream().readAllBytes(), StandardCharsets.UTF_8));
    }
    for (String name : List.of(
        "uri", "provider", "bean", "clients", "lease", "namespace", "options", "locked.wait-for")) {
      assertThat(metadata).contains("\"interlock." + name + "\"");
    }
    assertThat(metadata).contains("Where the locks live", "\"management.health.locks.enabled\"");
  }

  @Test
  void an_application_starts_with_the_auto_configuration_that_the_jar_names() {
    try (ConfigurableApplicationContext context = Contexts.local(List.of(Kept.class))) {
      assertThat(context.getBean(Kept.class).getClass().getName()).contains("SpringCGLIB");
    }
  }
}
