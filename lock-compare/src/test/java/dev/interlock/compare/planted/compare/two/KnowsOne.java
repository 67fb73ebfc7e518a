package dev.interlock.compare.planted.compare.two;

import dev.interlock.compare.planted.compare.one.KnowsTwo;

/** A package that stands on one that stands on it. */
public interface KnowsOne {
  KnowsTwo other();
}
