package dev.interlock.tck.teststore;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HoldInfo;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** The client of {@link StoreServer}. */
final class StoreBackend implements LockBackend {
  private static final int MUCH_LONGER = 5;
  private static final long NO_EXPIRY = Duration.ofDays(1_000).toNanos();

  private final StoreConnections connections;
  private final ClientId client;
  private final Fault fault;
  private final Map<String, Long> firstLeases = new ConcurrentHashMap<>();
  // What a broken client tells the server in place of a hold's id, and how often each thread asked.
  private final Map<HoldId, String> identities = new ConcurrentHashMap<>();
  private final AtomicInteger attempts = new AtomicInteger();
  private final Map<String, Integer> asked = new ConcurrentHashMap<>();

  StoreBackend(StoreConnections connections, ClientId client, Fault fault) {
    this.connections = connections;
    this.client = client;
    this.fault = fault;
  }

  @Override
  public AttemptResult attempt(Attempt attempt) {
    long wanted = attempt.lease().toNanos();
    if (fault == Fault.FIRST_LEASE_STICKS) {
      long first =
          firstLeases.computeIfAbsent(attempt.name(), name -> attempt.lease().toNanos());
      wanted = wanted >= MUCH_LONGER * first ? first : wanted;
    }
    String thread = Thread.currentThread().getName();
    if (fault == Fault.THREAD_NAME && attempt.owner().equals(thread)) {
      identities.computeIfAbsent(
          attempt.id(), id -> thread + " " + asked.merge(thread, 1, Integer::sum));
    }
    if (fault == Fault.HANGS || (fault == Fault.HANGS_LATER && attempts.incrementAndGet() > 1)) {
      hang();
    }
    if (fault == Fault.DOES_NOTHING) {
      return new AttemptResult.Busy(Duration.ofMillis(100));
    }
    long lease = fault == Fault.EXPIRES_AFTERWARDS ? NO_EXPIRY : wanted;
    Store.Request request = request(
        attempt.name(), attempt.id(), attempt.owner(), lease, attempt.waits(), attempt.tokens());
    Object answered = send(request);
    if (!(answered instanceof Store.Answer answer)) {
      return new AttemptResult.Busy(Duration.ofMillis(10));
    }
    if (answer.token() < 0) {
      return new AttemptResult.Busy(Duration.ofNanos(answer.recheck()));
    }
    if (fault == Fault.EXPIRES_AFTERWARDS) {
      String name = request.name();
      String id = request.id();
      long then = wanted;
      connections.call(store -> store.expire(name, id, then));
    }
    return new AttemptResult.Granted(answer.token(), answer.tokens());
  }

  private Object send(Store.Request request) {
    try {
      return connections.call(store -> store.attempt(request));
    } catch (BackendUnavailableException | OutcomeUnknownException e) {
      boolean busy = fault == Fault.CUT_MEANS_BUSY
          || (fault == Fault.ERROR_MEANS_BUSY && e instanceof BackendUnavailableException);
      if (busy && !connections.isClosed()) {
        return "busy";
      }
      throw e;
    }
  }

  @Override
  public List<RenewalResult> renew(List<Renewal> batch) {
    List<Store.Request> requests = batch.stream()
        .map(renewal ->
            request(renewal.name(), renewal.id(), "", renewal.lease().toNanos(), false, 1))
        .toList();
    int together = fault == Fault.RENEWS_ONE_BY_ONE ? 1 : requests.size();
    List<RenewalResult> results = new ArrayList<>();
    for (int i = 0; i < requests.size(); i += together) {
      List<Store.Request> part = List.copyOf(requests.subList(i, i + together));
      for (Store.Answer answer : (Store.Answer[]) connections.call(store -> store.renewAll(part))) {
        results.add(renewed(answer));
      }
    }
    return results;
  }

  private static RenewalResult renewed(Store.Answer answer) {
    return answer.token() < 0
        ? new RenewalResult.Gone()
        : new RenewalResult.Held(answer.token(), answer.tokens());
  }

  @Override
  public ReleaseResult release(Release release) {
    Store.Request request = request(release.name(), release.id(), "", 0, false, 1);
    boolean held = (Boolean) connections.call(store -> store.release(request));
    return held ? ReleaseResult.RELEASED : ReleaseResult.NOT_HELD;
  }

  @Override
  public void abandon(String name, HoldId id) {
    Store.Request request = request(name, id, "", 0, false, 1);
    connections.call(store -> store.abandon(request));
  }

  @Override
  public Optional<HoldInfo> inspect(String name) {
    long clock = System.currentTimeMillis();
    if (connections.call(store -> store.inspect(name, clock)) instanceof Store.Info info) {
      return Optional.of(new HoldInfo(
          name,
          info.owner(),
          info.host(),
          Instant.ofEpochMilli(info.since()),
          Duration.ofNanos(info.remaining()),
          info.token(),
          info.waiters()));
    }
    return Optional.empty();
  }

  @Override
  public boolean forceRelease(String name) {
    long clock = System.currentTimeMillis();
    return (Boolean) connections.call(store -> store.forceRelease(name, clock));
  }

  @Override
  public void subscribe(BackendEvents events) {
    connections.subscribe(
        event -> {
          HoldId id = parse(event.id());
          if (event.kind().equals("wake")) {
            events.wake(event.name(), id);
          } else {
            events.revoked(event.name(), id);
          }
        },
        events::inDoubt);
  }

  @Override
  public String server() {
    return "test store";
  }

  @Override
  public void close() {
    if (fault != Fault.STAYS_CONNECTED) {
      connections.close();
    }
  }

  private HoldId parse(String identity) {
    return identities.entrySet().stream()
        .filter(entry -> entry.getValue().equals(identity))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElseGet(() -> HoldId.parse(identity));
  }

  private static void hang() {
    while (true) {
      LockSupport.park();
    }
  }

  private Store.Request request(
      String name, HoldId id, String owner, long lease, boolean waits, int tokens) {
    return new Store.Request(
        name,
        identities.getOrDefault(id, id.toString()),
        client.id(),
        client.host(),
        owner,
        lease,
        waits,
        tokens,
        System.currentTimeMillis());
  }
}
