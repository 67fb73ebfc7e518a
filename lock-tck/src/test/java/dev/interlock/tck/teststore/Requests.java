package dev.interlock.tck.teststore;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What a client tells the server: who it is, and whom it asks for. */
final class Requests {
  private static final Set<Fault> KNOW_PARTS = EnumSet.of(
      Fault.SHARED_RELEASE_MEANS_DONE,
      Fault.SHARED_UNSENT_MEANS_GONE,
      Fault.SHARED_RENEWALS_GIVE_UP,
      Fault.PARTS_LOOK_THEN_FREE,
      Fault.PARTS_LOOK_THEN_ABANDON,
      Fault.PARTS_LOOK_THEN_RENEW,
      Fault.PARTS_ARE_RENEWED_ONE_BY_ONE);

  private static final Set<Fault> KNOW_OWNED =
      EnumSet.of(Fault.OWNERS_LOOK_THEN_FREE, Fault.OWNERS_ARE_RENEWED_ONE_BY_ONE);

  private static final Duration A_DAY = Duration.ofDays(1);
  private static final int MANY_TOKENS = 1_000;

  private final ClientId client;
  private final Fault fault;
  // What a broken client tells the server in place of a hold's id, and how often each thread asked.
  private final Map<HoldId, String> identities = new ConcurrentHashMap<>();
  private final Set<HoldId> parts = ConcurrentHashMap.newKeySet();
  private final Set<HoldId> owned = ConcurrentHashMap.newKeySet();
  private final Map<String, Integer> asked = new ConcurrentHashMap<>();

  Requests(ClientId client, Fault fault) {
    this.client = client;
    this.fault = fault;
  }

  /** Who asks. */
  String client() {
    return client.id();
  }

  /** Whether it was asked for as a part of a lock; false if no fault makes anything of that. */
  boolean isForPart(HoldId id) {
    return parts.contains(id);
  }

  /** The same of a named owner. */
  boolean isOwned(HoldId id) {
    return owned.contains(id);
  }

  /** An attempt. */
  Wire.Request of(Attempt attempt, long lease) {
    if (attempt.capacity() != 1 && KNOW_PARTS.contains(fault)) {
      parts.add(attempt.id());
    }
    if (attempt.sharedOwner() && KNOW_OWNED.contains(fault)) {
      owned.add(attempt.id());
    }
    if (fault == Fault.IDS_BY_HALF
        || (fault == Fault.PART_IDS_BY_HALF && attempt.capacity() != 1)) {
      identities.put(attempt.id(), half(attempt.id()));
    }
    String thread = Thread.currentThread().getName();
    if (fault == Fault.THREAD_NAME && attempt.owner().equals(thread)) {
      identities.computeIfAbsent(
          attempt.id(), id -> thread + " " + asked.merge(thread, 1, Integer::sum));
    }
    return new Wire.Request(
        attempt.name(),
        identity(attempt.id()),
        client.id(),
        client.host(),
        attempt.owner(),
        lease,
        isNoted(attempt),
        attempt.fair(),
        attempt.sharedOwner(),
        fault == Fault.HEIRS_BEHIND_STRANGERS ? MANY_TOKENS : attempt.tokens(),
        System.currentTimeMillis(),
        attempt.units(),
        attempt.capacity(),
        attempt.beside() == null ? null : identity(attempt.beside()),
        0);
  }

  private boolean isNoted(Attempt attempt) {
    Duration patience = attempt.patience();
    boolean endless = fault == Fault.ENDLESS_WAITS_ARE_NOT_NOTED && patience.compareTo(A_DAY) > 0;
    boolean brief = fault == Fault.BRIEF_WAITS_ARE_NOT_NOTED && patience.toSeconds() == 0;
    return attempt.waits() && !endless && !brief;
  }

  /** What concerns a hold or a waiter that the server knows. */
  Wire.Request of(String name, HoldId id, long lease) {
    return of(name, id, lease, 0, false);
  }

  /** A renewal. */
  Wire.Request of(Renewal renewal, long lease) {
    return of(renewal.name(), renewal.id(), lease, renewal.minToken(), renewal.queued());
  }

  private Wire.Request of(String name, HoldId id, long lease, long minToken, boolean waits) {
    return new Wire.Request(
        name,
        identity(id),
        client.id(),
        client.host(),
        "",
        lease,
        waits,
        false,
        false,
        1,
        System.currentTimeMillis(),
        1,
        1,
        null,
        minToken);
  }

  private String identity(HoldId id) {
    return fault == Fault.IDS_BY_HALF ? half(id) : identities.getOrDefault(id, id.toString());
  }

  private static String half(HoldId id) {
    return id.toString().substring(16);
  }

  /** The hold's id that the server was told. */
  HoldId parse(String identity) {
    return identities.entrySet().stream()
        .filter(entry -> entry.getValue().equals(identity))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElseGet(() -> HoldId.parse(identity));
  }
}
