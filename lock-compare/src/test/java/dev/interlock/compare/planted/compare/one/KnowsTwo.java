package dev.interlock.compare.planted.compare.one;

import dev.interlock.compare.planted.compare.two.KnowsOne;

/** A package that stands on one that stands on it. */
public interface KnowsTwo {
  KnowsOne other();
}
