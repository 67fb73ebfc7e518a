package dev.interlock.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Capability;
import dev.interlock.LockConfig;
import dev.interlock.internal.running.Clocks;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A hold that is taken away while its client is about to enter it among those that it has. */
@Timeout(60)
class LostAtOnceTest {
  private final StubProvider stub = new StubProvider();
  private final AtomicReference<HoldId> granted = new AtomicReference<>();
  private BackendEvents events = BackendEvents.IGNORED;

  @Test
  @DisplayName("M3 a hold that is lost before its client has entered it is not entered for ever")
  void isForgotten() throws ReflectiveOperationException, InterruptedException {
    Set<Capability> capabilities =
        EnumSet.of(Capability.RENEWABLE, Capability.FENCED, Capability.SHARED);
    try (EngineClient client = new EngineClient(
        new Terms(stub.id(), capabilities, false, Duration.ofSeconds(30)),
        LockConfig.builder("stub").build(),
        new HoldIds(),
        new ClientId("lost-at-once-test", "here"),
        backend(),
        Clocks.SYSTEM)) {
      Reader reader = new Reader(client);
      reader.start();
      reader.join();
      assertThat(reader.losses).isEqualTo(1);
      assertThat(index(client, "counted")).isEmpty();
      assertThat(index(client, "byOwner")).isEmpty();
    }
  }

  /** The stub, which tells what it has granted. */
  private LockBackend backend() {
    return (LockBackend) Proxy.newProxyInstance(
        LostAtOnceTest.class.getClassLoader(),
        new Class<?>[] {LockBackend.class},
        (proxy, method, arguments) -> switch (method.getName()) {
          case "attempt" -> {
            AttemptResult answer = stub.attempt((Attempt) arguments[0]);
            granted.set(((Attempt) arguments[0]).id());
            yield answer;
          }
          case "subscribe" -> {
            events = (BackendEvents) arguments[0];
            yield null;
          }
          default -> method.invoke(stub, arguments);
        });
  }

  private static Map<?, ?> index(EngineClient client, String part)
      throws ReflectiveOperationException {
    Field holds = EngineClient.class.getDeclaredField("holds");
    holds.setAccessible(true);
    Field map = HoldIndex.class.getDeclaredField(part);
    map.setAccessible(true);
    return (Map<?, ?>) map.get(((Holds) holds.get(client)).index());
  }

  /** Is asked for its hash code when its first hold is about to be entered. */
  private final class Reader extends Thread {
    private final EngineClient client;
    private int losses;

    Reader(EngineClient client) {
      this.client = client;
    }

    @Override
    public void run() {
      client.readWriteLock("x").readLock().lock();
      client.readWriteLock("x").readLock().unlock();
    }

    @Override
    public int hashCode() {
      HoldId hold = losses == 0 ? granted.get() : null;
      if (hold != null) {
        losses++;
        stub.forceRelease("x", 0);
        events.revoked("x", hold);
      }
      return System.identityHashCode(this);
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }
  }
}
