package dev.interlock.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockListener;
import dev.interlock.LockRequest;
import dev.interlock.LostReason;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.local.FaultyBackend.Fault;
import dev.interlock.local.FaultyBackend.Gate;
import dev.interlock.local.FaultyBackend.Operation;
import dev.interlock.spi.LockClients;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ListenerTest {
  private static final LockRequest X = LockRequest.of("x");

  private final List<String> heard = new CopyOnWriteArrayList<>();
  private final Rig rig = new Rig();
  private final LockListener noting = new LockListener() {
    @Override
    public void acquired(String name, long fencingToken, Duration waited) {
      heard.add("acquired " + name);
    }

    @Override
    public void released(String name, long fencingToken, Duration held) {
      heard.add("released " + name);
    }

    @Override
    public void lost(String name, long fencingToken, LostReason reason) {
      heard.add("lost " + name + " " + reason);
    }
  };
  private final Rig.Client client = rig.open(Duration.ofSeconds(30), noting);
  private final Rig.Client other = rig.open();

  /** What a slow listener does. */
  private static void pass(CountDownLatch go) {
    try {
      go.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private void assertHeard(String... events) {
    Await.until("all is told", () -> heard.size() >= events.length);
    assertThat(heard).containsExactly(events);
    heard.clear();
  }

  @Test
  @DisplayName("M6 a release of which the outcome is unknown is told as a release")
  void tellsUnknownRelease() throws Exception {
    for (Fault fault : List.of(Fault.requestLost(), Fault.replyLost(), Fault.refused())) {
      Lease lease = client.acquire("x");
      client.backend().next(Operation.RELEASE, fault);
      client.backend().next(Operation.RELEASE, fault);
      assertThatThrownBy(lease::release).isInstanceOf(OutcomeUnknownException.class);
      assertHeard("acquired x", "released x");
      rig.awaitNothingLeft();
    }
    Lease lease = client.acquire("x");
    client.backend().next(Operation.RELEASE, Fault.thrown(new IllegalStateException("a bug")));
    client.backend().next(Operation.RELEASE, Fault.thrown(new IllegalStateException("a bug")));
    assertThatThrownBy(lease::release).isInstanceOf(OutcomeUnknownException.class);
    assertHeard("acquired x", "released x");
  }

  @Test
  @DisplayName("M6 on a hand-off the end of the last hold is told before the begin of the next")
  void tellsHandOffInOrder() throws Exception {
    List<Task<Boolean>> tasks = new ArrayList<>();
    List<LockRequest> requests = List.of(X, X, X.fair(true), X.withLease(Duration.ofSeconds(20)));
    for (LockRequest request : requests) {
      tasks.add(Task.run(() -> {
        for (int i = 0; i < 200; i++) {
          client.locks().acquire(request).release();
        }
        return true;
      }));
    }
    for (Task<Boolean> task : tasks) {
      task.get();
    }
    assertThat(heard).hasSize(2 * 200 * requests.size());
    for (int i = 0; i < heard.size(); i++) {
      assertThat(heard.get(i)).as("event " + i).isEqualTo(i % 2 == 0 ? "acquired x" : "released x");
    }
  }

  @Test
  @DisplayName("M6 a grant that overtakes the answer to the release before it is told after that")
  void tellsOvertakenReleaseFirst() throws Exception {
    Lease first = client.acquire("x");
    Gate gate = client.backend().next(Operation.RELEASE, Gate.beforeReply());
    Task<Boolean> release = Task.run(() -> {
      first.release();
      return true;
    });
    gate.awaitReached();
    Lease second = client.locks().acquireAsync(X.fair(true)).get();
    assertHeard("acquired x", "released x", "acquired x");
    gate.open();
    release.get();
    second.release();
    assertHeard("released x");
  }

  @Test
  @DisplayName("M6 a grant by a message is told after the end that another thread still tells")
  void tellsEndOfSlowListenerFirst() throws Exception {
    CountDownLatch reached = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    LockListener slow = new LockListener() {
      @Override
      public void released(String name, long fencingToken, Duration held) {
        reached.countDown();
        pass(go);
      }
    };
    LockRequest fair = X.fair(true);
    Rig.Client told = rig.open(Duration.ofSeconds(30), slow, noting);
    Lease first = told.locks().acquire(fair);
    CompletableFuture<Lease> between = other.locks().acquireAsync(fair);
    Await.until("it is queued", () -> other.waiters("x") == 1);
    CompletableFuture<Lease> second = told.locks().acquireAsync(fair);
    Await.until("both are queued", () -> other.waiters("x") == 2);
    Task<Boolean> release = Task.run(() -> {
      first.release();
      return true;
    });
    reached.await();
    Rig.join(between).release();
    Lease next = Rig.join(second);
    Await.pass(50);
    go.countDown();
    release.get();
    assertHeard("acquired x", "released x", "acquired x");
    next.release();
    assertHeard("released x");
  }

  @Test
  @DisplayName("M6 a hold that was taken away unheard is told as lost before the next begins")
  void tellsUnheardLossFirst() throws Exception {
    client.backend().dropEvents();
    client.acquire("x");
    assertThat(other.locks().forceRelease("x")).isTrue();
    Lease next = client.locks().acquireAsync(X.fair(true)).get();
    assertHeard("acquired x", "lost x GONE", "acquired x");
    next.release();
    assertHeard("released x");
  }

  @Test
  @DisplayName("M6 a begin that is told late tells no end that the server has not answered yet")
  void tellsNoEndBeforeTheAnswer() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    LockListener slow = new LockListener() {
      @Override
      public void lost(String name, long fencingToken, LostReason reason) {
        pass(go);
      }
    };
    Rig.Client told = rig.open(Duration.ofSeconds(30), slow, noting);
    Lease forced = told.acquire("x");
    other.locks().forceRelease("x");
    Rig.join(forced.lost());
    told.backend().dropEvents();
    Lease gone = told.acquire("x");
    other.locks().forceRelease("x");
    Gate gate = told.backend().next(Operation.RELEASE, Gate.beforeServer());
    Task<Throwable> release = Task.run(() -> catchThrowable(gone::release));
    gate.awaitReached();
    go.countDown();
    assertHeard("acquired x", "lost x FORCED", "acquired x");
    Await.pass(50);
    gate.open();
    assertThat(release.get()).isInstanceOf(LeaseLostException.class);
    assertHeard("lost x GONE");
  }

  @Test
  @DisplayName("L7 a lease that runs out on the way of its release was released in order")
  void tellsNoLossOfSlowRelease() throws Exception {
    Lease lease = client.acquire("x", 2000);
    Gate gate = client.backend().next(Operation.RELEASE, Gate.beforeServer());
    Task<Boolean> release = Task.run(() -> {
      lease.release();
      return true;
    });
    gate.awaitReached();
    Await.until("the lease has run out", () -> other.locks().inspect("x").isEmpty());
    gate.open();
    assertThat(release.get()).isTrue();
    assertHeard("acquired x", "released x");
    Await.pass(50);
    assertThat(lease.lost().toCompletableFuture()).isNotDone();
  }

  @Test
  @DisplayName("L7 a hold that was taken away is lost, however late that is answered")
  void tellsForcedEndOfSlowRelease() throws Exception {
    Lease lease = client.acquire("x", 2500);
    Gate gate = client.backend().next(Operation.RELEASE, Gate.beforeServer());
    Task<Throwable> release = Task.run(() -> catchThrowable(lease::release));
    gate.awaitReached();
    assertThat(other.locks().forceRelease("x")).isTrue();
    Await.pass(2600);
    gate.open();
    assertThat(release.get()).isInstanceOf(LeaseLostException.class);
    assertHeard("acquired x", "lost x FORCED");
  }

  @Test
  @DisplayName(
      "M6 a hold that is taken away on the way of its release is told as what its holder hears")
  void tellsForcedEndBeforeTheNextBegin() throws Exception {
    Lease first = client.acquire("x");
    Task<Lease> fair = Task.run(() -> client.locks().acquire(X.fair(true)));
    Await.until("it is queued", () -> other.waiters("x") == 1);
    Gate gate = client.backend().next(Operation.RELEASE, Gate.beforeServer());
    Task<Throwable> release = Task.run(() -> catchThrowable(first::release));
    gate.awaitReached();
    assertThat(other.locks().forceRelease("x")).isTrue();
    Lease next = fair.get();
    gate.open();
    assertThat(release.get()).isInstanceOf(LeaseLostException.class);
    assertHeard("acquired x", "lost x FORCED", "acquired x");
    next.release();
    assertHeard("released x");
  }

  @Test
  @DisplayName("M6 while a begin is told nobody tells its end, nor what comes after that")
  void tellsNextBehindSlowBegin() throws Exception {
    CountDownLatch reached = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    LockListener slow = new LockListener() {
      @Override
      public void acquired(String name, long fencingToken, Duration waited) {
        reached.countDown();
        pass(go);
      }
    };
    Rig.Client told = rig.open(Duration.ofSeconds(30), noting, slow);
    Task<Boolean> first = Task.run(() -> told.locks().tryAcquire(X).isPresent());
    reached.await();
    assertThat(other.locks().forceRelease("x")).isTrue();
    Lease next = told.acquire("x");
    Await.pass(50);
    go.countDown();
    first.get();
    assertHeard("acquired x", "lost x FORCED", "acquired x");
    next.release();
    assertHeard("released x");
  }

  @Test
  @DisplayName("M6 every other end is told once: re-entry, loss, a late release, keeping, closing")
  void tellsEveryEndOnce() throws Exception {
    client.locks().lock("x").lock();
    client.locks().lock("x").lock();
    client.locks().lock("x").unlock();
    client.locks().lock("x").unlock();
    assertHeard("acquired x", "released x");

    Lease forced = client.acquire("x");
    other.locks().forceRelease("x");
    assertThatThrownBy(forced::release).isInstanceOf(LeaseLostException.class);
    assertHeard("acquired x", "lost x FORCED");

    client.backend().dropEvents();
    Lease gone = client.acquire("x");
    other.locks().forceRelease("x");
    assertThatThrownBy(gone::release).isInstanceOf(LeaseLostException.class);
    assertHeard("acquired x", "lost x GONE");

    Lease brief = client.acquire("x", 1000);
    Rig.join(brief.lost());
    assertThatThrownBy(brief::release).isInstanceOf(LeaseLostException.class);
    assertHeard("acquired x", "lost x EXPIRED");

    LockClients.keep(client.acquire("y", 1000));
    assertHeard("acquired y", "released y");

    client.acquire("x");
    client.locks().close();
    assertHeard("acquired x", "lost x CLOSED");
  }
}
