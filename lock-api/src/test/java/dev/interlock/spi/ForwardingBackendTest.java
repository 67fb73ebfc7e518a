package dev.interlock.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ForwardingBackendTest {
  private static final HoldId ID = new HoldId(1, 1);
  private static final Map<Class<?>, Object> SAMPLES = Map.of(
      String.class,
      "x",
      int.class,
      1,
      long.class,
      1L,
      HoldId.class,
      ID,
      List.class,
      List.of(ID, new HoldId(1, 2)),
      Attempt.class,
      Attempt.of("x", ID, "owner", Duration.ofSeconds(1)),
      Release.class,
      Release.of("x", ID),
      HoldQuery.class,
      HoldQuery.of(1),
      BackendEvents.class,
      BackendEvents.IGNORED,
      RenewalAnswers.class,
      (RenewalAnswers) (renewal, result) -> {});
  private static final Map<Class<?>, Object> ANSWERS = Map.of(
      boolean.class, true,
      String.class, "server",
      Optional.class, Optional.empty(),
      AttemptResult.class, AttemptResult.busy(Duration.ZERO),
      ReleaseResult.class, ReleaseResult.released());

  static List<Method> methods() {
    return Arrays.stream(HandOffBackend.class.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .filter(method -> !isShorthand(method))
        .toList();
  }

  /** Of the release that takes a Release. */
  private static boolean isShorthand(Method method) {
    return method.getName().equals("release") && method.getParameterCount() == 2;
  }

  @ParameterizedTest
  @MethodSource("methods")
  @DisplayName("everything that a backend can be asked for reaches the one behind")
  void forwards(Method method) throws Exception {
    AtomicReference<Method> called = new AtomicReference<>();
    LockBackend behind = (LockBackend) Proxy.newProxyInstance(
        HandOffBackend.class.getClassLoader(),
        new Class<?>[] {HandOffBackend.class},
        (proxy, asked, arguments) -> {
          called.set(asked);
          return ANSWERS.get(asked.getReturnType());
        });
    ForwardingBackend before = () -> behind;
    Object[] arguments =
        Arrays.stream(method.getParameterTypes()).map(SAMPLES::get).toArray();
    assertThat(method.invoke(before, arguments)).isEqualTo(ANSWERS.get(method.getReturnType()));
    assertThat(called.get().getName()).isEqualTo(method.getName());
    assertThat(called.get().getParameterTypes()).isEqualTo(method.getParameterTypes());
  }
}
