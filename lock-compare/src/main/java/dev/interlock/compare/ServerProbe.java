package dev.interlock.compare;

/** Asks a server past the provider. Thread-safe. */
interface ServerProbe {

  /** How many commands the server has run, those inside scripts too, but none of this probe's. */
  long commands();

  /** What the server keeps now in the namespace of this run. */
  Footprint footprint();

  /**
   * What is kept.
   *
   * @param entries keys or rows
   * @param bytes what the server says that they take up
   */
  record Footprint(long entries, long bytes) {}
}
