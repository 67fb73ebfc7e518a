package dev.interlock.internal.engine;

import dev.interlock.DistributedSemaphore;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import java.time.Duration;
import java.util.Optional;

/** A semaphore. Holds no state: what is held is in the leases. */
record SemaphoreView(String name, int permits, LockClient client) implements DistributedSemaphore {

  static SemaphoreView of(String name, int permits, LockClient client) {
    SemaphoreView view = new SemaphoreView(name, permits, client);
    view.request(1); // refuses a wrong name or size
    return view;
  }

  @Override
  public LockRequest request(int some) {
    return LockRequest.of(name).permits(some, permits);
  }

  @Override
  public Lease acquire() throws InterruptedException {
    return acquire(1);
  }

  @Override
  public Lease acquire(int some) throws InterruptedException {
    return client.acquire(request(some));
  }

  @Override
  public Optional<Lease> tryAcquire() {
    return tryAcquire(1);
  }

  @Override
  public Optional<Lease> tryAcquire(int some) {
    return client.tryAcquire(request(some));
  }

  @Override
  public Optional<Lease> tryAcquire(int some, Duration wait) throws InterruptedException {
    try {
      return Optional.of(client.acquire(request(some).withWait(wait)));
    } catch (LockTimeoutException e) {
      return Optional.empty();
    }
  }
}
