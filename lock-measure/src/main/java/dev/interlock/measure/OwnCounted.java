package dev.interlock.measure;

import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import java.util.List;

/**
 * The read-write lock or the semaphore of a client of ours. Thread-safe.
 *
 * @param client closed with this
 * @param scenario which of the two
 */
public record OwnCounted(LockClient client, CountedScenario scenario) implements CountedClient {
  @Override
  public List<SectionLock> ways(String name) {
    if (scenario.isSemaphore()) {
      LockRequest permit = LockRequest.of(name).permits(1, scenario.capacity());
      return List.of(SectionLock.of(client, permit));
    }
    var lock = client.readWriteLock(name);
    return List.of(SectionLock.of(lock.readLock()), SectionLock.of(lock.writeLock()));
  }

  @Override
  public void close() {
    client.close();
  }
}
