package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendRefusedException;
import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.OutcomeUnknownException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Mono;

/** Calls while the server cannot be asked. */
@Timeout(60)
class UnavailableTest {
  private final String uri = "local://?namespace=" + Contexts.namespace();
  private final LockClient client = Locks.open(uri);
  private final CountDownLatch asked = new CountDownLatch(1);
  private volatile @Nullable Supplier<LockException> outage;

  @AfterEach
  void close() {
    client.close();
  }

  /** What asks for a lock fails while there is an outage. */
  private LockClient failing() {
    return (LockClient) Proxy.newProxyInstance(
        LockClient.class.getClassLoader(),
        new Class<?>[] {LockClient.class},
        (proxy, method, arguments) -> {
          Supplier<LockException> failure = outage;
          if (failure != null && method.getName().equals("acquireAsync")) {
            return CompletableFuture.failedFuture(failure.get());
          }
          if (failure != null && method.getName().matches("(tryA|a)cquire")) {
            throw failure.get();
          }
          if (method.getName().equals("acquire")) {
            asked.countDown();
          }
          try {
            return method.invoke(client, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        });
  }

  static class Calls {
    private int runs;

    public int runs() {
      return runs;
    }

    @Locked("strict")
    public void strict() {
      runs++;
    }

    @Locked(name = "lenient", whenUnavailable = WhenUnavailable.RUN_UNGUARDED)
    public Optional<String> lenient() {
      runs++;
      return CurrentLease.find().map(Lease::name);
    }

    @LockedJob(name = "job", atLeast = "20s", whenUnavailable = WhenUnavailable.RUN_UNGUARDED)
    public void job() {
      runs++;
    }

    @Locked(name = "failing", whenUnavailable = WhenUnavailable.RUN_UNGUARDED)
    public void failing() {
      runs++;
      throw new BackendUnavailableException("of the work");
    }

    @Locked("strict-mono")
    public Mono<Boolean> strictMono() {
      return Mono.deferContextual(view -> Mono.just(view.hasKey(CurrentLease.CONTEXT_KEY)));
    }

    @Locked(name = "mono", whenUnavailable = WhenUnavailable.RUN_UNGUARDED)
    public Mono<Boolean> mono() {
      return Mono.deferContextual(view -> Mono.just(view.hasKey(CurrentLease.CONTEXT_KEY)));
    }
  }

  private final ApplicationContextRunner runner = new ApplicationContextRunner()
      .withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class))
      .withBean(LockClient.class, this::failing)
      .withBean(Calls.class);

  private static LockException failure(String type) {
    return type.equals("unknown")
        ? new OutcomeUnknownException("as planned", new IllegalStateException())
        : new BackendUnavailableException("as planned");
  }

  @ParameterizedTest
  @ValueSource(strings = {"unavailable", "unknown"})
  void a_call_fails_unless_it_is_to_run_unguarded(String type) {
    runner.run(context -> {
      Calls calls = context.getBean(Calls.class);
      outage = () -> failure(type);
      assertThatThrownBy(calls::strict).hasMessage("as planned");
      assertThatThrownBy(() -> calls.strictMono().block()).hasMessage("as planned");
      assertThat(calls.runs()).isZero();
      assertThat(calls.lenient()).isEmpty();
      assertThat(calls.mono().block()).isFalse();
      calls.job();
      calls.job();
      assertThat(calls.runs()).isEqualTo(3);
      outage = null;
      assertThat(calls.lenient()).hasValue("lenient");
      assertThat(calls.mono().block()).isTrue();
    });
  }

  /** Others may have the lock meanwhile: the server serves whom it does not refuse. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_call_that_a_server_refuses_does_not_run_unguarded(boolean within) {
    runner.run(context -> {
      Calls calls = context.getBean(Calls.class);
      LockException refusal = new BackendRefusedException("as planned", null);
      outage = () -> within ? new BackendUnavailableException("as planned", refusal) : refusal;
      assertThatThrownBy(calls::lenient).hasMessage("as planned");
      assertThatThrownBy(calls::job).hasMessage("as planned");
      assertThatThrownBy(() -> calls.mono().block()).hasMessage("as planned");
      assertThat(calls.runs()).isZero();
    });
  }

  @Test
  void a_call_that_runs_unguarded_does_not_have_the_lease_of_its_caller() {
    runner.run(context -> {
      Calls calls = context.getBean(Calls.class);
      LockTemplate template = context.getBean(LockTemplate.class);
      template.execute("outer", lease -> {
        outage = () -> failure("unavailable");
        assertThat(calls.lenient()).isEmpty();
        assertThat(calls
                .mono()
                .contextWrite(view -> view.put(CurrentLease.CONTEXT_KEY, lease))
                .block())
            .isFalse();
        assertThat(CurrentLease.get()).isSameAs(lease);
        return null;
      });
    });
  }

  @Test
  void the_log_tells_once_for_each_outage() {
    runner.run(context -> {
      Calls calls = context.getBean(Calls.class);
      try (LogCapture log = new LogCapture()) {
        for (int i = 0; i < 2; i++) {
          outage = () -> failure("unavailable");
          calls.lenient();
          calls.lenient();
          assertThat(log.messages())
              .hasSize(i + 1)
              .last()
              .isEqualTo(
                  "@Locked on Calls.lenient() runs without its lock until the server answers");
          outage = null;
          calls.lenient();
        }
      }
    });
  }

  @Test
  void work_that_fails_so_itself_does_not_run_again() {
    runner.run(context -> {
      Calls calls = context.getBean(Calls.class);
      assertThatThrownBy(calls::failing).hasMessage("of the work");
      assertThat(calls.runs()).isOne();
    });
  }

  @Test
  void a_call_that_the_shutdown_keeps_from_its_lock_does_not_run() throws Exception {
    Calls[] calls = new Calls[1];
    CompletableFuture<Optional<String>> call = new CompletableFuture<>();
    try (LockClient other = Locks.open(uri);
        Lease held = other.acquire(LockRequest.of("lenient"))) {
      runner.run(context -> {
        calls[0] = context.getBean(Calls.class);
        call.completeAsync(calls[0]::lenient, Contexts.THREADS);
        assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
      });
      assertThatThrownBy(() -> call.get(20, TimeUnit.SECONDS))
          .hasCauseInstanceOf(BackendUnavailableException.class);
      assertThat(calls[0].runs()).isZero();
      assertThat(held.isValid()).isTrue();
    }
  }
}
