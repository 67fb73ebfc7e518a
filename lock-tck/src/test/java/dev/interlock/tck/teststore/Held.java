package dev.interlock.tck.teststore;

/** A lock's holder in the {@link Store}. Not thread-safe. */
final class Held {
  final Wire.Request request;
  final long token;
  final int tokens;
  final long since = System.currentTimeMillis();
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
}
