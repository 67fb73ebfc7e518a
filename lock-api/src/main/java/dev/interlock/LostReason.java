package dev.interlock;

/** Why a lease ended without its holder's release. */
public enum LostReason {
  /** The lease ran out: it was not renewed, or no renewal reached the server in time. */
  EXPIRED,
  /** The server no longer knows the hold: it expired there, or the server lost its state. */
  GONE,
  /** Somebody took it away: {@link LockClient#forceRelease(String, long)}. */
  FORCED,
  /** The {@link LockClient} that held it was closed. */
  CLOSED
}
