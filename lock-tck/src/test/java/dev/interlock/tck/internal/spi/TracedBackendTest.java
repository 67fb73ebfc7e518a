package dev.interlock.tck.internal.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A backend that is traced does what it does otherwise, and every call can be read afterwards. */
class TracedBackendTest {
  private static final Duration LEASE = Duration.ofSeconds(20);

  /** What a method does with its arguments. */
  private interface Call {
    Object on(Object[] arguments);
  }

  private final SpiTrace trace = new SpiTrace();
  private final Map<String, Call> calls = new HashMap<>();

  private LockBackend traced() {
    return TracedBackend.of(backend(LockBackend.class), "client-1", trace);
  }

  private LockBackend backend(Class<? extends LockBackend> type) {
    return (LockBackend) Proxy.newProxyInstance(
        type.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) -> calls.get(method.getName()).on(arguments));
  }

  private void assertTold(String... parts) {
    List<String> lines = SpiCall.lines(trace.calls(Long.MIN_VALUE / 2, System.nanoTime(), ""), 0);
    assertThat(String.join("\n", lines)).containsSubsequence(parts);
  }

  private static HoldId id(int number) {
    return new HoldId(7, number);
  }

  @Test
  void anAttemptIsToldByWhatIsSpecialAboutIt() {
    calls.put("attempt", given -> AttemptResult.granted((Attempt) given[0], 3));
    Attempt simple = Attempt.of("orders", id(1), "me", LEASE);

    assertThat(traced().attempt(simple)).isEqualTo(AttemptResult.granted(simple, 3));
    traced().attempt(simple.withPatience(LEASE).withFair(true).withUnits(2, 5));

    assertTold(
        "client-1 on ",
        "attempt(orders id=" + id(1) + " lease=PT20S): granted, token 3",
        " lease=PT20S patience=PT20S fair units=2 of 5): granted, token 3");
  }

  @Test
  void anExceptionIsToldAndThrownAsItIs() {
    BackendUnavailableException down = new BackendUnavailableException("the server is away");
    calls.put("release", given -> {
      throw down;
    });
    assertThatThrownBy(() -> traced().release("orders", id(1))).isSameAs(down);
    assertTold("release(orders, " + id(1) + "): threw ", "the server is away");
  }

  @Test
  void ofABatchTheFirstEntriesAreTold() {
    calls.put("renew", given -> {
      for (Object entry : (List<?>) given[0]) {
        Renewal renewal = (Renewal) entry;
        boolean isHeld = renewal.name().equals("lock-4");
        ((RenewalAnswers) given[1])
            .answer(renewal, isHeld ? RenewalResult.held(renewal, 4) : RenewalResult.gone());
      }
      return null;
    });
    List<Renewal> batch = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      batch.add(Renewal.of("lock-" + i, id(i), LEASE, false));
    }
    List<RenewalResult> heard = new ArrayList<>();
    traced().renew(batch, (renewal, result) -> heard.add(result));

    assertThat(heard).hasSize(5);
    assertTold("renew([lock-0 id=", "lock-2 id=", "; and more, 5 in all]): Gone; Gone; Gone; 5 ");
    assertThat(trace.calls(Long.MIN_VALUE / 2, System.nanoTime(), "lock-4"))
        .as("the fifth of a batch is found, and told")
        .singleElement()
        .satisfies(call -> {
          assertThat(call.call())
              .startsWith("renew([lock-4 id=")
              .endsWith("; and more, 5 in all])");
          assertThat(call.answer()).isEqualTo("granted, token 4; 5 answers in all; returned");
        });
    assertThat(trace.calls(Long.MIN_VALUE / 2, System.nanoTime(), "lock-")).isEmpty();
  }

  @Test
  void aRenewalThatFailsHalfwayTellsWhatWasAnswered() {
    calls.put("renew", given -> {
      Renewal first = (Renewal) ((List<?>) given[0]).get(0);
      ((RenewalAnswers) given[1]).answer(first, RenewalResult.held(first, 4));
      throw new BackendUnavailableException("the server is away");
    });
    List<Renewal> batch =
        List.of(Renewal.of("a", id(1), LEASE, false), Renewal.of("b", id(2), LEASE, false));
    assertThatThrownBy(() -> traced().renew(batch, (renewal, result) -> {}))
        .isInstanceOf(BackendUnavailableException.class);
    assertTold("): granted, token 4; threw ", "the server is away");
  }

  @Test
  void eventsAreToldOnTheirWayToTheEngine() {
    List<BackendEvents> subscribed = new ArrayList<>();
    calls.put("subscribe", given -> {
      subscribed.add((BackendEvents) given[0]);
      return null;
    });
    List<String> heard = new ArrayList<>();
    traced().subscribe(new BackendEvents() {
      @Override
      public void granted(Grant grant, long notBeforeNanos) {}

      @Override
      public void wake(String name, HoldId id) {
        heard.add(name);
      }

      @Override
      public void revoked(String name, HoldId id) {}

      @Override
      public void inDoubt() {}
    });
    subscribed.get(0).wake("orders", id(1));

    assertThat(heard).containsExactly("orders");
    assertTold("subscribe(): returned", "event for client-1 on ", " wake(orders, " + id(1) + ")");
  }

  @Test
  void whoCanHandOffStillCan() {
    assertThat(traced()).isNotInstanceOf(HandOffBackend.class);
    assertThat(TracedBackend.of(backend(HandOffBackend.class), "client-1", trace))
        .isInstanceOf(HandOffBackend.class);
  }

  @Test
  void anAnswerIsOneLineOfSomeLength() {
    calls.put("server", given -> "x".repeat(1_000) + "\nand more");
    calls.put("inspect", given -> Optional.empty());
    assertThat(traced().server()).endsWith("and more");
    assertThat(traced().inspect("orders")).isEmpty();
    assertTold("server(): " + "x".repeat(300) + "...", "inspect(orders): empty");
  }
}
