package dev.interlock.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;

/** A long queue of readers and writers of two clients. */
public abstract class ReadersAndWritersContract {
  private static final int WRITERS = 5;
  private static final int READERS_BETWEEN = 100;

  private final String name = "a" + System.nanoTime(); // another if the test is repeated

  /** For subclasses. */
  protected ReadersAndWritersContract() {}

  /** Where the locks are, in a namespace of this test. */
  protected abstract String uri();

  /**
   * Who does not confirm a grant within two seconds is passed over, and to confirm it takes many
   * steps, here and at the server.
   */
  @Undisturbed(millis = 100)
  @Timeout(300)
  void r2_readersAndWritersAreServedInOrderReadersTogether() throws Exception {
    String uri = uri();
    try (LockClient one = Locks.open(uri);
        LockClient two = Locks.open(uri)) {
      LockRequest writer = LockRequest.of(name).fair(true).withWait(Duration.ofMinutes(4));
      List<List<CompletableFuture<Lease>>> groups = new ArrayList<>();
      Lease held = one.acquire(writer);
      int waiting = 0;
      for (int i = 0; i < WRITERS; i++) {
        List<CompletableFuture<Lease>> readers = new ArrayList<>();
        for (int k = 0; k < READERS_BETWEEN; k++) {
          readers.add((k % 2 == 0 ? one : two).acquireAsync(writer.shared()));
        }
        waiting += READERS_BETWEEN;
        awaitWaiters(one, waiting);
        groups.add(readers);
        groups.add(List.of((i % 2 == 0 ? one : two).acquireAsync(writer)));
        awaitWaiters(one, ++waiting);
      }
      long last = held.fencingToken();
      held.release();
      for (int i = 0; i < groups.size(); i++) {
        long largest = last;
        for (CompletableFuture<Lease> next : groups.get(i)) {
          Lease lease = next.get(60, TimeUnit.SECONDS);
          assertThat(lease.isValid()).isTrue();
          assertThat(lease.fencingToken()).isGreaterThan(last);
          largest = Math.max(largest, lease.fencingToken());
        }
        last = largest;
        assertThat(groups.subList(i + 1, groups.size()).stream().flatMap(List::stream))
            .as("those behind group %d", i)
            .noneMatch(CompletableFuture::isDone);
        for (CompletableFuture<Lease> done : groups.get(i)) {
          done.join().release();
        }
      }
      assertThat(two.inspect(name)).isEmpty();
    }
  }

  private void awaitWaiters(LockClient client, int count) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    int waiters = 0;
    while (waiters != count && System.nanoTime() - deadline < 0) {
      Thread.sleep(10);
      waiters = client.inspect(name).map(HoldInfo::waiters).orElse(0);
    }
    assertThat(waiters).as("waiters").isEqualTo(count);
  }
}
