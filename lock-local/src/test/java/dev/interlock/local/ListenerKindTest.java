package dev.interlock.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockKind;
import dev.interlock.LockListener;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.LostReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Listeners that hear of the kind of a request, and those that do not ask. */
@Timeout(60)
class ListenerKindTest {
  private final List<String> heard = new CopyOnWriteArrayList<>();

  private static LockRequest request(LockKind kind) {
    LockRequest request = LockRequest.of("x");
    return switch (kind) {
      case EXCLUSIVE -> request;
      case SHARED -> request.shared();
      case PERMITS -> request.permits(1, 2);
    };
  }

  private final class Asking implements LockListener {
    @Override
    public void waiting(String name, LockKind kind) {
      heard.add("waiting " + kind);
    }

    @Override
    public void acquired(String name, LockKind kind, long fencingToken, Duration waited) {
      heard.add("acquired " + kind + " " + fencingToken);
    }

    @Override
    public void released(String name, LockKind kind, long fencingToken, Duration held) {
      heard.add("released " + kind + " " + fencingToken);
    }

    @Override
    public void lost(String name, LockKind kind, long fencingToken, LostReason reason) {
      heard.add("lost " + kind + " " + fencingToken);
    }
  }

  private final class Plain implements LockListener {
    @Override
    public void waiting(String name) {
      heard.add("waiting");
    }

    @Override
    public void acquired(String name, long fencingToken, Duration waited) {
      heard.add("acquired " + fencingToken);
    }

    @Override
    public void released(String name, long fencingToken, Duration held) {
      heard.add("released " + fencingToken);
    }

    @Override
    public void lost(String name, long fencingToken, LostReason reason) {
      heard.add("lost " + fencingToken);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("M6 waits, begins and ends are told with the kind")
  void tellsKind(LockKind kind) throws Exception {
    List<Long> tokens = waitsHoldsAndLoses(new Asking(), kind);
    assertThat(heard)
        .containsExactly(
            "waiting " + kind,
            "acquired " + kind + " " + tokens.get(0),
            "released " + kind + " " + tokens.get(0),
            "acquired " + kind + " " + tokens.get(1),
            "lost " + kind + " " + tokens.get(1));
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("M6 listeners that do not ask for the kind hear of all of them")
  void tellsOthers(LockKind kind) throws Exception {
    List<Long> tokens = waitsHoldsAndLoses(new Plain(), kind);
    assertThat(heard)
        .containsExactly(
            "waiting",
            "acquired " + tokens.get(0),
            "released " + tokens.get(0),
            "acquired " + tokens.get(1),
            "lost " + tokens.get(1));
  }

  /** The tokens of what was released and of what was lost. */
  private List<Long> waitsHoldsAndLoses(LockListener listener, LockKind kind) throws Exception {
    String uri = "local://?namespace=" + UUID.randomUUID();
    List<Long> tokens = new ArrayList<>();
    try (LockClient client =
            Locks.open(LockConfig.parse(uri).toBuilder().listener(listener).build());
        LockClient other = Locks.open(uri)) {
      Lease before = other.acquire(LockRequest.of("x"));
      CompletableFuture<Lease> waiting = client.acquireAsync(request(kind));
      Await.until("it waits", () -> heard.size() == 1);
      before.release();
      Lease released = waiting.get(10, TimeUnit.SECONDS);
      tokens.add(released.fencingToken());
      released.release();
      tokens.add(client.acquire(request(kind)).fencingToken());
      other.forceRelease("x");
      Await.until("the loss is told", () -> heard.size() == 5);
    }
    return tokens;
  }
}
