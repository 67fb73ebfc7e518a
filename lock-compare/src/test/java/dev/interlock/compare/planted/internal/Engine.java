package dev.interlock.compare.planted.internal;

/** What nobody outside of the API may use. */
public final class Engine {
  private Engine() {}
}
