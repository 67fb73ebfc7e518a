package dev.interlock.tck.internal.run;

import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;

/** Ignores what a backend reports: the kit asks it instead. */
final class NoEvents implements BackendEvents {
  @Override
  public void granted(Grant grant, long notBeforeNanos) {}

  @Override
  public void wake(String name, HoldId id) {}

  @Override
  public void revoked(String name, HoldId id) {}

  @Override
  public void inDoubt() {}
}
