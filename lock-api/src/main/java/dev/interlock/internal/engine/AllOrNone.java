package dev.interlock.internal.engine;

import dev.interlock.Lease;
import dev.interlock.LeaseSet;
import dev.interlock.LockRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/** Acquires several locks, in the order of their names, so that nobody waits in a circle. */
final class AllOrNone {
  private final EngineClient client;
  private final Terms terms;
  private final Holds holds;

  AllOrNone(EngineClient client, Terms terms, Holds holds) {
    this.client = client;
    this.terms = terms;
    this.holds = holds;
  }

  LeaseSet acquire(List<LockRequest> requests) throws InterruptedException {
    requireDistinct(requests);
    requests.forEach(request -> client.grantee(request, null)); // refuses before it takes any
    long start = System.nanoTime();
    List<LockRequest> ordered = new ArrayList<>(requests);
    ordered.sort(Comparator.comparing(LockRequest::name));
    Map<String, Lease> taken = new TreeMap<>();
    Map<Hold, Long> fixed = new LinkedHashMap<>();
    try {
      for (LockRequest request : ordered) {
        Hold hold = client.acquire(EngineClient.lessTime(request, System.nanoTime() - start), null);
        taken.put(request.name(), client.handle(hold, request.isRenewing()));
        if (!request.isRenewing()) {
          fixed.put(hold, Grantee.of(request, null, terms).lease());
        }
      }
      holds.refresh(fixed); // those that were taken first have lost time while others were awaited
      taken.values().forEach(Lease::ensureValid);
    } catch (Throwable e) {
      giveBack(List.copyOf(taken.values()), e);
      throw e;
    }
    List<Lease> asked = requests.stream()
        .map(request -> Objects.requireNonNull(taken.get(request.name())))
        .toList();
    return new Leases(asked, List.copyOf(taken.values()));
  }

  private static void requireDistinct(List<LockRequest> requests) {
    if (requests.isEmpty()) {
      throw new IllegalArgumentException("acquireAll needs at least one request");
    }
    Set<String> names = new HashSet<>();
    for (LockRequest request : requests) {
      if (!names.add(request.name())) {
        throw new IllegalArgumentException(
            "acquireAll names lock '%s' twice".formatted(request.name()));
      }
    }
  }

  private static void giveBack(List<Lease> taken, Throwable cause) {
    try {
      Leases.lastFirst(taken, Lease::close);
    } catch (RuntimeException | Error e) {
      if (e != cause) {
        cause.addSuppressed(e);
      }
    }
  }
}
