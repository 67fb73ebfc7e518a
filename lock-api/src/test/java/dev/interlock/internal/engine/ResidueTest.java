package dev.interlock.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockListener;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.LostReason;
import dev.interlock.spi.LockClients;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Looks into the engine's own collections for what should no longer be there. */
@Timeout(20)
class ResidueTest {
  private static final LockRequest X = LockRequest.of("x");

  private static LockClient open(LockListener... listeners) {
    StubProvider stub = new StubProvider();
    LockConfig.Builder config = LockConfig.builder("stub");
    for (LockListener listener : listeners) {
      config.listener(listener);
    }
    return LockClients.open(stub, config.build(), context -> stub);
  }

  /** Every collection in the engine, by the field that holds it, with what is in it. */
  private static List<String> contents(LockClient client) {
    List<String> found = new ArrayList<>();
    look(client, "client", new IdentityHashMap<>(), found);
    return found;
  }

  private static void look(
      Object owner, String path, Map<Object, Boolean> seen, List<String> found) {
    if (seen.put(owner, true) != null) {
      return;
    }
    for (Field field : owner.getClass().getDeclaredFields()) {
      Object value = read(field, owner);
      String name = path + "." + field.getName();
      if (value instanceof Collection<?> all && !all.isEmpty() && !isConstant(name)) {
        found.add(name + "=" + all);
      } else if (value instanceof Map<?, ?> map && !map.isEmpty()) {
        found.add(name + "=" + map);
      } else if (value instanceof Object[] parts) {
        for (Object part : parts) {
          look(part, name, seen, found);
        }
      } else if (value != null
          && value.getClass().getName().startsWith("dev.interlock.internal.")) {
        look(value, name, seen, found);
      }
    }
  }

  private static boolean isConstant(String name) {
    return name.endsWith(".capabilities") || name.endsWith(".listeners");
  }

  private static Object read(Field field, Object owner) {
    try {
      field.setAccessible(true);
      return field.get(owner);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the engine has changed", e);
    }
  }

  private static void awaitNothing(LockClient client) {
    long start = System.nanoTime();
    while (!contents(client).isEmpty()
        && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(10)) {
      LockSupport.parkNanos(1_000_000);
    }
    assertThat(contents(client)).isEmpty();
  }

  @Test
  @DisplayName("M4 a thousand cycles of each kind leave nothing in the engine")
  void leavesNothing() throws Exception {
    try (LockClient client = open()) {
      try (Lease held = client.acquire(X)) {
        assertThat(contents(client)).isNotEmpty(); // so the search can see something
        assertThat(held.isValid()).isTrue();
      }
      for (int i = 0; i < 1000; i++) {
        client.acquire(X).release();
        client.lock("x").lock();
        client.lock("x").lock();
        client.lock("x").unlock();
        client.lock("x").unlock();
        client.tryAcquire(X.withOwner("me" + i)).orElseThrow().release();
        client.acquireAsync(X).get().release();
        client.acquireAll(List.of(X, LockRequest.of("y" + i))).release();
      }
      awaitNothing(client);
    }
  }

  @Test
  @DisplayName("M4 W6 waits that end without the lock leave nothing in the engine")
  void leavesNothingOfFailures() throws Exception {
    try (LockClient client = open()) {
      Lease held = client.acquire(X);
      List<CompletableFuture<Lease>> futures = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        LockRequest brief = X.withWait(Duration.ofNanos(i * 1000L));
        assertThatThrownBy(() -> client.acquire(brief)).isInstanceOf(LockTimeoutException.class);
        assertThat(client.tryAcquire(X)).isEmpty();
        futures.add(client.acquireAsync(i % 2 == 0 ? X : X.withWait(Duration.ofMillis(i % 7))));
      }
      futures.forEach(future -> future.cancel(true));
      held.release();
      awaitNothing(client);
      client.acquire(X).release();
    }
  }

  @Test
  @DisplayName("a listener that throws, even an Error, affects no lock")
  void survivesListeners() throws Exception {
    LockListener bad = new LockListener() {
      @Override
      public void attempt(String name) {
        throw new AssertionError("attempt");
      }

      @Override
      public void acquired(String name, long fencingToken, Duration waited) {
        throw new IllegalStateException("acquired");
      }

      @Override
      public void released(String name, long fencingToken, Duration held) {
        throw new AssertionError("released");
      }

      @Override
      public void lost(String name, long fencingToken, LostReason reason) {
        throw new AssertionError("lost");
      }
    };
    try (LockClient client = open(bad)) {
      client.acquire(X).release();
      Lease lease = client.acquireAsync(X).get(5, TimeUnit.SECONDS);
      client.forceRelease("x");
      assertThat(lease.lost().toCompletableFuture().get(5, TimeUnit.SECONDS))
          .isEqualTo(LostReason.GONE);
      awaitNothing(client);
    }
  }

  @Test
  @DisplayName(
      "a listener hears of an acquisition before its release, and of what it waited and held")
  void tellsListeners() throws Exception {
    List<String> heard = new ArrayList<>();
    LockListener listener = new LockListener() {
      @Override
      public void attempt(String name) {
        heard.add("attempt " + name);
      }

      @Override
      public void acquired(String name, long fencingToken, Duration waited) {
        heard.add("acquired " + name + " " + fencingToken);
      }

      @Override
      public void released(String name, long fencingToken, Duration held) {
        heard.add("released " + name + " " + fencingToken);
      }
    };
    try (LockClient client = open(listener)) {
      client.lock("x").lock();
      client.lock("x").lock();
      client.lock("x").unlock();
      client.lock("x").unlock();
    }
    assertThat(heard).containsExactly("attempt x", "acquired x 1", "released x 1");
  }
}
