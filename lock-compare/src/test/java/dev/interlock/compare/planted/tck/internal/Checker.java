package dev.interlock.compare.planted.tck.internal;

/** What nobody outside of the kit may use. */
public final class Checker {
  private Checker() {}
}
