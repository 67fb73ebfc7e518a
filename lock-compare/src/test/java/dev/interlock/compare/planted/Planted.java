package dev.interlock.compare.planted;

/** Where the planted violations are, and what some of them use. */
public final class Planted {
  private Planted() {}
}
