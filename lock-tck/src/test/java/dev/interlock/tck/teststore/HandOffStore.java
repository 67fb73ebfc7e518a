package dev.interlock.tck.teststore;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.ForwardingBackend;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import java.time.Duration;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/** Releases that take along the attempt of one of this client who waits, for faults. */
final class HandOffStore implements ForwardingBackend {
  private final StoreBackend backend;
  private final StoreConnections connections;
  private final Requests requests;

  HandOffStore(StoreBackend backend, StoreConnections connections, Requests requests) {
    this.backend = backend;
    this.connections = connections;
    this.requests = requests;
  }

  @Override
  public LockBackend backend() {
    return backend;
  }

  @Override
  public ReleaseResult release(Release release) {
    Attempt next = release.next();
    Wire.Request own = requests.of(release.name(), release.id(), 0);
    Wire.Request along = next == null ? null : requests.of(next, next.lease().toNanos());
    ArrayList<String> passed = new ArrayList<>();
    release.passed().forEach(id -> passed.add(id.toString()));
    Object answered = connections.call(store -> store.handOffs().release(own, along, passed));
    return answered instanceof Wire.HandOff handOff
        ? ReleaseResult.released().withNext(result(next, handOff.next()))
        : ReleaseResult.notHeld();
  }

  private static @Nullable AttemptResult result(
      @Nullable Attempt next, Wire.@Nullable Answer answer) {
    if (next == null || answer == null) {
      return null;
    }
    Duration recheck = Duration.ofNanos(answer.recheck());
    if (answer.token() == Wire.QUEUED) {
      return AttemptResult.queued(recheck);
    }
    return answer.token() < 0
        ? AttemptResult.busy(recheck)
        : AttemptResult.granted(next, answer.token()).withTokens(answer.tokens());
  }
}
