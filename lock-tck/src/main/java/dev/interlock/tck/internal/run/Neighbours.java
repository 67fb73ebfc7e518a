package dev.interlock.tck.internal.run;

/** What may run beside a test, from many to nothing. */
public enum Neighbours {
  /** Many of its kind: it waits most of the time. */
  MANY,

  /** A few of its kind: it loads the machine, and measures no short times. */
  FEW,

  /** Nothing: it measures short times, or harms the server for all. */
  NONE
}
