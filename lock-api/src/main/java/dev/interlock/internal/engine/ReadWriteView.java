package dev.interlock.internal.engine;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedReadWriteLock;
import dev.interlock.LockRequest;

/** The two locks of a name as the current thread sees them. */
record ReadWriteView(DistributedLock readLock, DistributedLock writeLock)
    implements DistributedReadWriteLock {

  static ReadWriteView of(String name, EngineClient client) {
    LockRequest request = LockRequest.of(name);
    return new ReadWriteView(
        new ThreadLock(request.shared(), client), new ThreadLock(request.fair(true), client));
  }
}
