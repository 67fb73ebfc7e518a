package dev.interlock.tck.teststore;

import org.jspecify.annotations.Nullable;

/** A lock's holder in the {@link Store}. Not thread-safe. */
final class Held {
  final Wire.Request request;
  long token;
  // By how much a renewal has raised it, which a forced release does not know, for a fault.
  long raisedBy;
  final int tokens;
  long since = System.currentTimeMillis();
  long expiresAt;
  // When it ends without what renewals have added.
  long granted;
  int entries = 1;
  int renewals;
  // How many of the lock's units it takes.
  int units;
  // Whether it came beside a hold of the same owner.
  boolean isEntry;
  // Whether it was granted to one who stood in the queue.
  boolean isHandedOver;
  // The hold that it came beside, and ends with, for a fault.
  @Nullable
  Held writing;
  // Whether whoever was granted it from the queue has asked again.
  boolean isConfirmed;
  // The size that counts for those who come beside it.
  int capacity;
  // Whether it is not known any more who named its owner, for a fault.
  boolean isOwnerLost;
  // Whom inspection tells, if not its owner.
  @Nullable
  String told;
  // By how much inspection tells a longer lease than there is.
  long hidden;
  // Whether it ends soon whatever its lease is, for a fault.
  boolean fades;

  Held(Wire.Request request, long token, int tokens, long expiresAt) {
    this.request = request;
    this.token = token;
    this.tokens = tokens;
    this.expiresAt = expiresAt;
    this.granted = expiresAt;
    units = request.units();
    capacity = request.capacity();
  }

  boolean isOf(Wire.Request other) {
    return request.id().equals(other.id());
  }

  boolean isOfSameOwner(Fault fault, Wire.Request other) {
    return (request.shared() || fault == Fault.UNNAMED_OWNERS_COUNT)
        && !isOwnerLost
        && other.shared()
        && Names.owner(fault, request.owner()).equals(Names.owner(fault, other.owner()));
  }

  /** Whether it is a re-entry of its owner to ask for this. */
  boolean covers(Fault fault, Wire.Request other) {
    boolean upgrades = fault == Fault.OWNER_UPGRADES && other.capacity() == 1;
    return isOfSameOwner(fault, other) && (upgrades || request.capacity() <= other.capacity());
  }

  /** Lets it end by then, though inspection tells all of its lease. */
  void fade(long end) {
    fades = true;
    hidden = expiresAt - end;
    expiresAt = end;
  }

  boolean has(long one) {
    long known = token - raisedBy;
    return known <= one && one < known + tokens;
  }
}
