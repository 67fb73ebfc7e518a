package dev.interlock.tck;

/** How hard the circumstances are under which a rule must hold. */
public enum Level {
  /** The API behaves as documented. */
  L0,
  /** Exclusion and liveness hold between several JVMs while nothing fails. */
  L1,
  /** They hold also when clients crash, pause, or lose a reply. */
  L2,
  /** They hold also when the server stalls, restarts, or loses its state. */
  L3,
  /** A resource guarded by fencing tokens loses no update, whatever happens. */
  L4
}
