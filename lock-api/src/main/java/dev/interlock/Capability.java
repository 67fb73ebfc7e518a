package dev.interlock;

/**
 * What a provider promises beyond the rules that bind every provider.
 *
 * <p>A capability that is not declared is refused with {@link UnsupportedCapabilityException}
 * before anything is sent. SPEC.md lists the rules that each one brings.
 */
public enum Capability {
  /** Leases can be extended, so a lock can be renewed for as long as it is held (rules N). */
  RENEWABLE,
  /** Every hold carries a number larger than that of every earlier hold of the name (rules T). */
  FENCED,
  /** Waiters are told of a release; they do not poll for it (rules P). */
  PUSH,
  /** {@code fair(true)}: first come, first served, across JVMs (rules F). */
  FAIR,
  /** The same logical owner re-enters from another JVM (rules S). */
  SHARED_OWNER,
  /** Holds and queues outlive a restart of the server (rules D). */
  DURABLE,
  /** Readers hold a lock together, {@link LockRequest#shared()}; declared beside FAIR (rules R). */
  SHARED,
  /** Semaphores, {@link LockRequest#permits} (rules C). */
  PERMITS
}
