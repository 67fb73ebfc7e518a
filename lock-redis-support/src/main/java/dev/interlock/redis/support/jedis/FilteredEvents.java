package dev.interlock.redis.support.jedis;

import dev.interlock.redis.support.KeyLayout;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;

/**
 * Passes on what is heard on one server about its own locks. The nodes of a cluster pass messages
 * on to one another, so a mailbox on each of them hears everything; that a lock has moved meanwhile
 * does no harm, since its new server has heard the same. Thread-safe.
 */
final class FilteredEvents implements BackendEvents {
  private final Server server;
  private final Servers servers;
  private final KeyLayout layout;
  private final BackendEvents engine;

  FilteredEvents(Server server, Servers servers, KeyLayout layout, BackendEvents engine) {
    this.server = server;
    this.servers = servers;
    this.layout = layout;
    this.engine = engine;
  }

  @Override
  public void granted(Grant grant, long notBeforeNanos) {
    if (isHere(grant.name())) {
      engine.granted(grant, notBeforeNanos);
    }
  }

  @Override
  public void wake(String name, HoldId id) {
    if (isHere(name)) {
      engine.wake(name, id);
    }
  }

  @Override
  public void revoked(String name, HoldId id) {
    if (isHere(name)) {
      engine.revoked(name, id);
    }
  }

  @Override
  public void inDoubt() {
    engine.inDoubt();
  }

  private boolean isHere(String name) {
    return servers.of(layout.keys(name)).server() == server;
  }
}
