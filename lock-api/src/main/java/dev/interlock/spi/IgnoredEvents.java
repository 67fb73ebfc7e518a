package dev.interlock.spi;

/** Does nothing. Immutable. */
final class IgnoredEvents implements BackendEvents {
  @Override
  public void granted(Grant grant, long notBeforeNanos) {}

  @Override
  public void wake(String name, HoldId id) {}

  @Override
  public void revoked(String name, HoldId id) {}

  @Override
  public void inDoubt() {}
}
