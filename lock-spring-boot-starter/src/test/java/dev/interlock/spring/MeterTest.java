package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spring.internal.lease.Ending;
import dev.interlock.spring.internal.lease.LockGate;
import dev.interlock.spring.internal.lease.LockMeter;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Mono;

/** Meters and handlers of observations that throw cost nobody a lock. */
@Timeout(60)
class MeterTest {
  private static ConfigurableApplicationContext context;
  private static LockClient client;
  private static LockTemplate template;
  private static Work work;

  /** What throws next, and when. */
  private static volatile String failing = "";

  private static volatile Throwable thrown = new IllegalStateException("as planned");

  static class Work {
    @Locked(name = "x", waitFor = "5s")
    public boolean call() {
      return CurrentLease.get().isValid();
    }

    @Locked(name = "x", waitFor = "5s")
    public CompletableFuture<Boolean> stage() {
      return CompletableFuture.completedFuture(CurrentLease.get().isValid());
    }

    @Locked(name = "x", waitFor = "5s")
    public Mono<Boolean> mono() {
      return Mono.deferContextual(
          current -> Mono.just(current.<Lease>get(CurrentLease.CONTEXT_KEY).isValid()));
    }
  }

  static class Listening {
    @Bean
    ObservationRegistry registry() {
      ObservationRegistry registry = ObservationRegistry.create();
      registry.observationConfig().observationHandler(new ObservationHandler<>() {
        @Override
        public void onStart(Observation.Context observed) {
          failIf("observation starts");
        }

        @Override
        public void onStop(Observation.Context observed) {
          failIf("observation stops");
        }

        @Override
        public boolean supportsContext(Observation.Context observed) {
          return true;
        }
      });
      return registry;
    }

    @Bean
    LockMeter meter() {
      return failing();
    }
  }

  private static LockMeter failing() {
    return (label, name, waits) -> {
      failIf("meter starts");
      return (entered, failure) -> failIf("meter stops");
    };
  }

  private static void failIf(String moment) {
    if (failing.equals(moment)) {
      if (thrown instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) thrown;
    }
  }

  @BeforeAll
  static void start() {
    context = Contexts.local(List.of(Work.class, Listening.class));
    client = context.getBean(LockClient.class);
    template = context.getBean(LockTemplate.class);
    work = context.getBean(Work.class);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @ParameterizedTest
  @CsvSource({
    "observation starts, false",
    "observation starts, true",
    "observation stops, false",
    "observation stops, true",
    "meter starts, false",
    "meter starts, true",
    "meter stops, false",
    "meter stops, true",
  })
  void what_throws_beside_a_request_keeps_no_lock_and_fails_no_call(String moment, boolean error)
      throws Exception {
    thrown = error ? new NoClassDefFoundError("as planned") : new IllegalStateException("so too");
    failing = moment;
    for (int i = 0; i < 2; i++) {
      assertThat(work.call()).isTrue();
      assertThat(work.stage().get(10, TimeUnit.SECONDS)).isTrue();
      assertThat(work.mono().block(Duration.ofSeconds(10))).isTrue();
      assertThat(template.<Boolean, RuntimeException>execute("x", Lease::isValid))
          .isTrue();
    }
    await().until(() -> client.inspect("x").isEmpty());
  }

  @ParameterizedTest
  @CsvSource({"meter starts, true", "meter stops, false"})
  void the_same_holds_for_the_only_meter_of_an_application(String moment, boolean error)
      throws Exception {
    thrown = error ? new NoClassDefFoundError("as planned") : new IllegalStateException("so too");
    failing = moment;
    LockGate gate = new LockGate(client, LockMeter.of(List.of(failing())), ending -> ending);
    for (int i = 0; i < 2; i++) {
      gate.enter("label", LockRequest.of("y"), Ending::release).ending().end();
      gate.enterAsync("label", LockRequest.of("y")).get(10, TimeUnit.SECONDS).release();
    }
    assertThat(client.inspect("y")).isEmpty();
  }
}
