package dev.interlock.spring;

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
import io.lettuce.core.RedisFuture;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import reactor.core.publisher.Flux;
import reactor.core.publisher.ParallelFlux;

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
  void an_option_that_is_given_twice_is_refused() {
    FailureAnalysis failure = Contexts.failure(
        runner.withPropertyValues("interlock.uri=local://?namespace=a", "interlock.namespace=b"));
    assertThat(failure.getDescription())
        .contains("namespace is set in interlock.uri and beside it");
  }

  @Test
  void a_server_that_is_down_says_so() {
    FailureAnalysis failure = Contexts.failure(runner.withPropertyValues(
        "interlock.uri=redis-hash://127.0.0.1:1", "interlock.options.connectTimeout=PT0.3S"));
    assertThat(failure.getAction()).contains("Start the server");
  }

  static class Unparsable {
    @Locked("a-#{")
    public void work() {}
  }

  static class UnknownVariable {
    @Locked("a-#{#idd}")
    public void work(String id) {}
  }

  static class UnknownBean {
    @Locked("a-#{@nobody.name(#id)}")
    public void work(String id) {}
  }

  static class NoName {
    @Locked
    public void work() {}
  }

  static class WrongDuration {
    @Locked(name = "a", lease = "soon")
    public void work() {}
  }

  static class NoFallback {
    @Locked(name = "a", onBusy = OnBusy.FALLBACK, fallback = "other")
    public void work(String id) {}
  }

  static class KeptWithoutTime {
    @Locked(name = "a", autoRelease = false)
    public void work() {}
  }

  static class Hidden {
    @Locked("a")
    public final void work() {}
  }

  static class SecondMethod {
    @Locked("a")
    public void right() {}

    @Locked("b-#{#nothing}")
    public void wrong() {}
  }

  @Locked("a")
  static class HiddenByClass {
    public final void work() {}
  }

  static class ReturnsFuture {
    @Locked("a")
    public Future<String> work() {
      return CompletableFuture.completedFuture("");
    }
  }

  static class ReturnsRedisFuture {
    @Locked("a")
    public RedisFuture<String> work() {
      throw new UnsupportedOperationException();
    }
  }

  static class ReturnsParallelFlux {
    @Locked("a")
    public ParallelFlux<Integer> work() {
      return Flux.just(1).parallel();
    }
  }

  static class ReturnsStream {
    @Locked("a")
    public IntStream work() {
      return IntStream.of(1);
    }
  }

  static class ReturnsCallable {
    @Locked("a")
    public Callable<String> work() {
      return () -> "";
    }
  }

  static class ReturnsDeferredResult {
    @Locked("a")
    public DeferredResult<String> work() {
      return new DeferredResult<>();
    }
  }

  static class ReturnsAsyncTask {
    @Locked("a")
    public WebAsyncTask<String> work() {
      return new WebAsyncTask<>(() -> "");
    }
  }

  static class ReturnsBodyLater {
    @Locked("a")
    public ResponseEntity<StreamingResponseBody> work() {
      return ResponseEntity.ok(out -> {});
    }
  }

  static class ReturnsEmitter {
    @Locked("a")
    public SseEmitter work() {
      return new SseEmitter();
    }
  }

  static class ReturnsStreamOfStage {
    @Locked("a")
    public CompletableFuture<Stream<String>> work() {
      return CompletableFuture.completedFuture(Stream.of());
    }
  }

  static class PartOfItself {
    @Locked("a")
    public <T extends Optional<T>> Optional<T> work() {
      return Optional.empty();
    }
  }

  @Test
  void a_result_that_is_a_part_of_itself_is_no_fault() {
    runner
        .withPropertyValues("interlock.uri=local://")
        .withBean(PartOfItself.class)
        .run(context -> assertThat(context).hasNotFailed());
  }

  static class FinalOfFramework {
    public final boolean setUp() {
      return CurrentLease.find().isPresent();
    }
  }

  @Locked("a")
  static class InheritsFinal extends FinalOfFramework {
    public boolean work() {
      return CurrentLease.find().isPresent();
    }
  }

  @Test
  void an_inherited_final_method_is_not_locked_and_the_log_says_so() {
    List<String> logged;
    try (LogCapture log = new LogCapture()) {
      runner
          .withPropertyValues("interlock.uri=local://")
          .withBean(InheritsFinal.class)
          .run(context -> {
            assertThat(context.getBean(InheritsFinal.class).work()).isTrue();
            assertThat(context.getBean(InheritsFinal.class).setUp()).isFalse();
          });
      logged = log.messages();
    }
    assertThat(logged)
        .containsExactly("@Locked on InheritsFinal does not lock FinalOfFramework.setUp():"
            + " a proxy does not see a method that is final");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      Unparsable      | cannot be parsed
      UnknownVariable | there is no variable #idd; there are [a0, id, p0, root, this]
      UnknownBean     | there is no bean 'nobody'
      NoName          | it needs a name
      WrongDuration   | lease is 'soon': expected a duration such as 5s or PT5S
      NoFallback      | there is no method other(String)
      KeptWithoutTime | autoRelease=false and atLeast need each other
      Hidden          | a proxy does not see a method that is private
      HiddenByClass   | a proxy does not see a method that is private
      SecondMethod    | there is no variable #nothing
      ReturnsFuture         | it returns a Future, for whose end a lock cannot be held
      ReturnsRedisFuture    | it returns a RedisFuture, for whose end a lock cannot be held
      ReturnsParallelFlux   | it returns a ParallelFlux, for whose end a lock cannot be held
      ReturnsStream         | it returns a IntStream, for whose end a lock cannot be held
      ReturnsCallable       | it returns a Callable, for whose end a lock cannot be held
      ReturnsDeferredResult | it returns a DeferredResult, for whose end a lock cannot be held
      ReturnsAsyncTask      | it returns a WebAsyncTask, for whose end a lock cannot be held
      ReturnsBodyLater      | it returns a StreamingResponseBody, for whose end a lock cannot be held
      ReturnsEmitter        | it returns a SseEmitter, for whose end a lock cannot be held
      ReturnsStreamOfStage  | it returns a Stream, for whose end a lock cannot be held
      """)
  void a_wrong_annotation_fails_the_start(String bean, String message) throws Exception {
    Class<?> type = Class.forName(StartTest.class.getName() + "$" + bean);
    FailureAnalysis failure =
        Contexts.failure(runner.withPropertyValues("interlock.uri=local://").withBean(type));
    assertThat(failure.getDescription()).contains(message).contains("@Locked");
    assertThat(failure.getAction()).contains("@Locked");
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
