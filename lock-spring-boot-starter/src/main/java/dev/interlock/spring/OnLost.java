package dev.interlock.spring;

/** What a lost lease does to the work. In both cases the caller gets the loss as an exception. */
public enum OnLost {
  /** Interrupts the thread, cancels the stage, or cancels the subscription. */
  INTERRUPT,
  /** Lets the work go on; it may look at {@link CurrentLease}. */
  SIGNAL
}
