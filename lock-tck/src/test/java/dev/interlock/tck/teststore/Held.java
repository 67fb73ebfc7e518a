package dev.interlock.tck.teststore;

/** A lock's holder in the {@link Store}. Not thread-safe. */
final class Held {
  final Wire.Request request;
  final long token;
  final int tokens;
  long since = System.currentTimeMillis();
  long expiresAt;
  int entries = 1;
  int renewals;
  // By how much inspection tells a longer lease than there is.
  long hidden;

  Held(Wire.Request request, long token, int tokens, long expiresAt) {
    this.request = request;
    this.token = token;
    this.tokens = tokens;
    this.expiresAt = expiresAt;
  }

  boolean isOfSameOwner(Wire.Request other) {
    return request.shared() && other.shared() && request.owner().equals(other.owner());
  }

  /** Whether it is a re-entry of its owner to ask for this. */
  boolean covers(Wire.Request other) {
    return isOfSameOwner(other) && request.capacity() <= other.capacity();
  }

  boolean has(long one) {
    return token <= one && one < token + tokens;
  }
}
