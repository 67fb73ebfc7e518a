package dev.interlock.compare.planted.mysql;

import dev.interlock.compare.planted.tck.internal.Checker;

/** A provider inside of the kit. */
interface UsesTheKit {
  Checker checker();
}
