package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.spring.internal.annotation.OtherPackage;
import io.lettuce.core.RedisFuture;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.http.ResponseEntity;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import reactor.core.publisher.Flux;
import reactor.core.publisher.ParallelFlux;

/** Annotations that cannot lock anything: of most of them the start of the application tells. */
class WrongAnnotationTest {
  private final ApplicationContextRunner runner = new ApplicationContextRunner()
      .withConfiguration(AutoConfigurations.of(
          InterlockAutoConfiguration.class, InterlockObservabilityAutoConfiguration.class));

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

  static class NoUnit {
    @LockedJob(name = "a", atLeast = "50")
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

  static class HiddenByPackage extends OtherPackage {}

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

  @Locked("a")
  static class HiddenJob {
    @Scheduled(cron = "0 * * * * *")
    void work() {}
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

  static class SamePackage extends OfThisPackage {}

  static class OfThisPackage {
    @Locked("a")
    boolean work() {
      return CurrentLease.find().isPresent();
    }
  }

  @Test
  void a_method_of_the_package_is_locked() {
    runner
        .withPropertyValues("interlock.uri=local://")
        .withBean(SamePackage.class)
        .run(context -> assertThat(context.getBean(SamePackage.class).work()).isTrue());
  }

  static class Needed {
    @Locked("a")
    public void work() {}
  }

  static class AmongTheFirst implements BeanPostProcessor, Ordered {
    @Override
    public int getOrder() {
      return LOWEST_PRECEDENCE;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class NeedsItEarly {
    @Bean
    static AmongTheFirst needing(Needed needed) {
      return new AmongTheFirst();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class AsksForItLater {
    @Bean
    static AmongTheFirst asking(ObjectProvider<Needed> needed) {
      return new AmongTheFirst();
    }
  }

  @Test
  void a_bean_that_is_made_before_there_are_proxies_fails_the_start() {
    ApplicationContextRunner early =
        runner.withPropertyValues("interlock.uri=local://").withBean("needed", Needed.class);
    FailureAnalysis failure = Contexts.failure(early.withUserConfiguration(NeedsItEarly.class));
    assertThat(failure.getDescription())
        .contains("@Locked on methods of the bean 'needed' has no effect");
    early
        .withUserConfiguration(AsksForItLater.class)
        .run(context -> assertThat(context).hasNotFailed());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      Unparsable      | cannot be parsed
      UnknownVariable | there is no variable #idd; there are [a0, id, p0, root, this]
      UnknownBean     | there is no bean 'nobody'
      NoName          | it needs a name
      WrongDuration   | lease is 'soon': expected a duration such as 5s or PT5S
      NoUnit          | atLeast is '50': expected a duration such as 5s or PT5S
      NoFallback      | there is no method other(String)
      KeptWithoutTime | autoRelease=false and atLeast need each other
      Hidden          | a proxy does not see a method that is private
      HiddenByClass   | a proxy does not see a method that is private
      HiddenByPackage | a proxy in another package does not see it
      HiddenJob       | does not lock HiddenJob.work(), which is @Scheduled but not public
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
    Class<?> type = Class.forName(WrongAnnotationTest.class.getName() + "$" + bean);
    FailureAnalysis failure =
        Contexts.failure(runner.withPropertyValues("interlock.uri=local://").withBean(type));
    assertThat(failure.getDescription()).contains(message).contains("@Locked");
    assertThat(failure.getAction()).contains("@Locked");
  }
}
