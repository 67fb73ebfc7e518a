package dev.interlock.spring.internal.client;

import dev.interlock.LockListener;

/** A listener that tells the events of one client from those of the others. */
public interface ClientListener extends LockListener {
  LockListener forClient(String client);
}
