package dev.interlock.quorum;

import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;

/** Takes the events of a backend without an engine. */
final class Deaf implements BackendEvents {
  @Override
  public void granted(Grant grant, long notBeforeNanos) {}

  @Override
  public void wake(String name, HoldId id) {}

  @Override
  public void revoked(String name, HoldId id) {}

  @Override
  public void inDoubt() {}
}
