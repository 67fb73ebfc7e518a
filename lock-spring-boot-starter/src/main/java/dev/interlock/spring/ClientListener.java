package dev.interlock.spring;

import dev.interlock.LockListener;

/** A listener that tells the events of one client from those of the others. */
interface ClientListener extends LockListener {
  LockListener forClient(String client);
}
