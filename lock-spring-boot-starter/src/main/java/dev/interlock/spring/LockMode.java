package dev.interlock.spring;

/** How a {@link Locked} method takes its lock. */
public enum LockMode {
  /** Alone: nobody else holds the lock meanwhile. */
  WRITE,
  /**
   * Together with others that read; nobody writes meanwhile. Who reads and who writes stand in one
   * queue, in the order of their arrival. Needs {@link dev.interlock.Capability#SHARED}.
   */
  READ
}
