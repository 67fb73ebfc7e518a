package dev.interlock.tck.teststore;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HoldInfo;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.WaiterInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Asks the server who holds locks, and who waits for them. */
final class StoreInspection {
  private static final long A_MOMENT = TimeUnit.MILLISECONDS.toNanos(500);
  private static final HoldId NOBODY = new HoldId(0, 0);

  private final StoreConnections connections;
  private final Fault fault;
  private final Requests requests;

  // What inspection found lately, for a fault.
  private final Map<String, Found> found = new ConcurrentHashMap<>();

  // What this client has, for a fault.
  private final Set<String> own = ConcurrentHashMap.newKeySet();

  private record Found(Optional<HoldInfo> what, long at) {}

  StoreInspection(StoreConnections connections, Fault fault, Requests requests) {
    this.connections = connections;
    this.fault = fault;
    this.requests = requests;
  }

  /** Notes that this client has a lock, or has it no more. */
  void has(String name, boolean holds) {
    if (fault == Fault.INSPECT_REMEMBERS_OWN && holds) {
      own.add(name);
    } else if (fault == Fault.INSPECT_REMEMBERS_OWN) {
      own.remove(name);
      found.remove(name);
    }
  }

  Optional<HoldInfo> inspect(String name) {
    Found before = found.get(name);
    if (fault == Fault.INSPECT_REMEMBERS_OWN && before != null) {
      return before.what();
    }
    if (fault == Fault.STALE_INSPECT
        && before != null
        && System.nanoTime() - before.at() < A_MOMENT) {
      return before.what();
    }
    Optional<HoldInfo> info;
    try {
      info = look(name);
    } catch (BackendUnavailableException | OutcomeUnknownException e) {
      if (fault == Fault.FAILED_INSPECT_MEANS_FREE) {
        return Optional.empty();
      }
      throw e;
    }
    boolean remembers = fault == Fault.INSPECT_REMEMBERS_OWN && own.contains(name);
    if (fault == Fault.STALE_INSPECT || remembers) {
      found.put(name, new Found(info, System.nanoTime()));
    }
    return info;
  }

  private Optional<HoldInfo> look(String name) {
    Wire.Request asked = requests.of(name, NOBODY, 0);
    if (fault == Fault.INSPECT_REMOVES_EXPIRED
        && (Boolean) connections.call(store -> store.attempts().isExpired(asked))) {
      connections.call(store -> store.attempts().remove(name));
      return Optional.empty();
    }
    long clock = System.currentTimeMillis();
    if (!(connections.call(store -> store.operators().inspect(name, clock))
        instanceof Wire.Info info)) {
      return Optional.empty();
    }
    long token = info.token();
    if (fault == Fault.INSPECTS_IN_TWO_STEPS
        && connections.call(store -> store.operators().inspect(name, clock))
            instanceof Wire.Info again) {
      token = again.token();
    }
    return Optional.of(info(name, info, token)
        .withOthers(info.others().stream()
            .map(other -> info(name, other, other.token()))
            .toList()));
  }

  private HoldInfo info(String name, Wire.Info info, long token) {
    HoldInfo told = HoldInfo.of(
        name,
        info.owner(),
        info.host(),
        Instant.ofEpochMilli(info.since()),
        Duration.ofNanos(info.remaining()),
        token,
        info.waiters());
    return fault == Fault.INSPECT_TELLS_NO_UNITS
        ? told
        : told.withUnits(info.units(), info.capacity());
  }

  Optional<List<WaiterInfo>> waiters(String name, int limit) {
    Wire.Place[] places =
        (Wire.Place[]) connections.call(store -> store.operators().waiters(name, limit));
    return Optional.of(Stream.of(places)
        .map(place ->
            WaiterInfo.of(place.owner(), place.host()).withUnits(place.units(), place.capacity()))
        .toList());
  }

  HoldPage list(HoldQuery query) {
    String prefix = query.prefix();
    String after = query.after().orElse("");
    int limit = query.limit();
    Wire.Page page =
        (Wire.Page) connections.call(store -> store.operators().list(prefix, after, limit));
    List<HoldInfo> holds = new ArrayList<>();
    for (int i = 0; i < page.names().size(); i++) {
      Wire.Info info = page.holds().get(i);
      holds.add(info(page.names().get(i), info, info.token()));
    }
    HoldPage listed = HoldPage.of(holds);
    String next = page.next();
    return next == null ? listed : listed.withNext(next);
  }
}
