package dev.interlock.cli;

import dev.interlock.spi.LockBackend;
import dev.interlock.spi.WaiterInfo;
import java.util.List;

/**
 * Who waits for a lock.
 *
 * @param isKnown whether the store can tell
 * @param first those who stand first; empty if it cannot
 */
record LockQueue(boolean isKnown, List<WaiterInfo> first) {
  /** So a long queue costs the server, and the reader of a screen, no more than this. */
  static final int MOST = 100;

  static LockQueue read(LockBackend backend, String name) {
    return backend
        .waiters(name, MOST)
        .map(first -> new LockQueue(true, first))
        .orElseGet(() -> new LockQueue(false, List.of()));
  }
}
