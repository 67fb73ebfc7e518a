package dev.interlock.spring;

/** What a call of a {@link Locked} method does when the lock's server cannot be asked. */
public enum WhenUnavailable {
  /**
   * Throws {@link dev.interlock.BackendUnavailableException} or
   * {@link dev.interlock.OutcomeUnknownException}.
   */
  FAIL,
  /**
   * Calls the method <b>without the lock</b>, beside whoever has it or does the same, and logs a
   * warning. For work that several may do at once, if need be. A lease that is lost while the
   * method runs ends the call as always. So does a server that refuses
   * ({@link dev.interlock.BackendRefusedException}: no rights, no room), which may serve others who
   * hold the lock.
   */
  RUN_UNGUARDED
}
