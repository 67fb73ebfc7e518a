package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.UnsupportedCapabilityException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One of several instances leads. */
@Timeout(60)
class LeaderElectionTest {
  private final String uri = "local://?namespace=" + Contexts.namespace();
  private final LockClient client = Locks.open(uri);
  private final LockRequest request = LockRequest.of("leader");

  @AfterEach
  void close() {
    client.close();
  }

  /** Keeps what it is told. */
  private static class Candidate implements LeaderCallback {
    final BlockingQueue<Lease> gained = new LinkedBlockingQueue<>();
    final BlockingQueue<Lease> lost = new LinkedBlockingQueue<>();

    @Override
    public void gained(Lease lease) throws Exception {
      gained.add(lease);
    }

    @Override
    public void lost(Lease lease) {
      lost.add(lease);
    }
  }

  private static Lease next(BlockingQueue<Lease> told) throws InterruptedException {
    Lease lease = told.poll(20, TimeUnit.SECONDS);
    assertThat(lease).isNotNull();
    return lease;
  }

  private static LeaderElection started(LockClient client, LeaderCallback callback) {
    LeaderElection election = new LeaderElection(client, LockRequest.of("leader"), callback);
    election.start();
    return election;
  }

  @Test
  void one_leads_and_the_next_when_it_is_stopped() throws Exception {
    Candidate one = new Candidate();
    Candidate other = new Candidate();
    try (LeaderElection first = started(client, one)) {
      long token = next(one.gained).fencingToken();
      assertThat(first.isLeader()).isTrue();
      assertThat(first.lease()).map(Lease::fencingToken).hasValue(token);
      try (LockClient second = Locks.open(uri);
          LeaderElection waiting = started(second, other)) {
        assertThat(waiting.isRunning()).isTrue();
        assertThat(waiting.isLeader()).isFalse();
        assertThat(other.gained).isEmpty();
        first.stop();
        assertThat(first.isRunning()).isFalse();
        assertThat(first.isLeader()).isFalse();
        assertThat(next(one.lost).fencingToken()).isEqualTo(token);
        assertThat(next(other.gained).fencingToken()).isGreaterThan(token);
        assertThat(waiting.isLeader()).isTrue();
      }
    }
    assertThat(client.inspect("leader")).isEmpty();
  }

  @Test
  void a_loss_is_told_and_the_lock_sought_again() throws Exception {
    Candidate candidate = new Candidate();
    try (LeaderElection election = started(client, candidate)) {
      Lease first = next(candidate.gained);
      client.forceRelease("leader");
      assertThat(next(candidate.lost)).isSameAs(first);
      Lease second = next(candidate.gained);
      assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
      assertThat(election.isLeader()).isTrue();
    }
    assertThat(candidate.lost).hasSize(1);
  }

  /** Works until it is interrupted. */
  private static final class Worker extends Candidate {
    private final BlockingQueue<Long> tokens = new LinkedBlockingQueue<>();

    @Override
    public void gained(Lease lease) throws Exception {
      super.gained(lease);
      try {
        new CountDownLatch(1).await();
      } finally {
        tokens.add(CurrentLease.get().fencingToken());
      }
    }
  }

  @Test
  void a_loss_interrupts_the_work_and_so_does_a_stop() throws Exception {
    Worker worker = new Worker();
    try (LeaderElection election = started(client, worker)) {
      for (int i = 0; i < 2; i++) {
        long token = next(worker.gained).fencingToken();
        if (i == 0) {
          client.forceRelease("leader");
        } else {
          election.stop();
        }
        assertThat(worker.tokens.poll(20, TimeUnit.SECONDS)).isEqualTo(token);
        assertThat(next(worker.lost).fencingToken()).isEqualTo(token);
      }
    }
  }

  @Test
  void the_lock_is_held_until_a_stopped_leader_has_ended() throws Exception {
    List<Long> held = new CopyOnWriteArrayList<>();
    Candidate candidate = new Candidate() {
      @Override
      public void lost(Lease lease) {
        held.add(client.inspect("leader").map(HoldInfo::fencingToken).orElse(-1L));
      }
    };
    long token;
    try (LeaderElection election = started(client, candidate)) {
      token = next(candidate.gained).fencingToken();
    }
    assertThat(held).containsExactly(token);
    assertThat(client.inspect("leader")).isEmpty();
  }

  @Test
  void a_leader_that_fails_gives_up_and_tries_again() throws Exception {
    AtomicBoolean failed = new AtomicBoolean();
    Candidate candidate = new Candidate() {
      @Override
      public void gained(Lease lease) throws Exception {
        super.gained(lease);
        if (failed.compareAndSet(false, true)) {
          throw new IllegalStateException("as planned");
        }
      }
    };
    try (LogCapture log = new LogCapture();
        LeaderElection election = started(client, candidate)) {
      Lease first = next(candidate.gained);
      assertThat(next(candidate.lost)).isSameAs(first);
      assertThat(next(candidate.gained).fencingToken()).isGreaterThan(first.fencingToken());
      assertThat(log.messages()).containsExactly("A leader failed");
    }
  }

  @Test
  void a_stop_within_the_callback_does_not_wait_for_itself() throws Exception {
    CountDownLatch stopped = new CountDownLatch(1);
    BlockingQueue<LeaderElection> elections = new LinkedBlockingQueue<>();
    Candidate candidate = new Candidate() {
      @Override
      public void lost(Lease lease) {
        elections.element().stop();
        stopped.countDown();
      }
    };
    elections.add(started(client, candidate));
    next(candidate.gained);
    client.forceRelease("leader");
    assertThat(stopped.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(elections.element().isRunning()).isFalse();
    assertThat(client.inspect("leader")).isEmpty();
  }

  @Test
  void a_server_that_cannot_be_asked_is_asked_again() throws Exception {
    AtomicBoolean failed = new AtomicBoolean();
    LockClient failing = proxy(LockClient.class, (proxy, method, arguments) -> {
      if (method.getName().equals("acquire") && failed.compareAndSet(false, true)) {
        throw new BackendUnavailableException("as planned");
      }
      return call(client, method, arguments);
    });
    Candidate candidate = new Candidate();
    try (LogCapture log = new LogCapture();
        LeaderElection election = started(failing, candidate)) {
      next(candidate.gained);
      assertThat(log.messages())
          .containsExactly(
              "The lock of a leader cannot be asked for; it is tried again each second");
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static @Nullable Object call(
      Object target, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @Test
  void a_lock_without_a_token_is_led_with_too() throws Exception {
    LockClient unfenced = proxy(LockClient.class, (proxy, method, arguments) -> {
      Object answer = call(client, method, arguments);
      return answer instanceof Lease lease
          ? proxy(Lease.class, (itself, asked, of) -> {
            if (asked.getName().equals("fencingToken")) {
              throw new UnsupportedCapabilityException("no token");
            }
            return call(lease, asked, of);
          })
          : answer;
    });
    BlockingQueue<Object> events = new LinkedBlockingQueue<>();
    try (LeaderElection election = new LeaderElection(unfenced, "leader")) {
      election.setApplicationEventPublisher(events::add);
      election.start();
      assertThat(events.poll(20, TimeUnit.SECONDS)).isEqualTo(new LeadershipGained("leader", 0));
    }
    assertThat(events).containsExactly(new LeadershipLost("leader", 0));
  }

  @Test
  void work_that_swallows_the_interrupt_of_a_stop_ends_the_leadership_too() throws Exception {
    Candidate candidate = new Candidate() {
      @Override
      public void gained(Lease lease) throws Exception {
        super.gained(lease);
        try {
          new CountDownLatch(1).await();
        } catch (InterruptedException e) {
          // Returns, as a loop over a queue does.
        }
      }
    };
    LeaderElection election = started(client, candidate);
    next(candidate.gained);
    election.stop();
    assertThat(next(candidate.lost)).isNotNull();
    assertThat(client.inspect("leader")).isEmpty();
  }

  @Test
  void a_listener_that_fails_does_not_end_the_leadership() throws Exception {
    Candidate candidate = new Candidate();
    LeaderElection election = new LeaderElection(client, LockRequest.of("leader"), candidate);
    election.setApplicationEventPublisher(event -> {
      throw new IllegalStateException("as planned");
    });
    try (election;
        LogCapture log = new LogCapture()) {
      election.start();
      next(candidate.gained);
      assertThat(log.messages()).containsExactly("A listener of a leader's gain failed");
      assertThat(election.isLeader()).isTrue();
    }
  }

  @Test
  void a_request_that_lets_others_in_is_refused() {
    for (LockRequest wrong :
        List.of(request.withOwner("import"), request.shared(), request.permits(1, 2))) {
      assertThatThrownBy(() -> new LeaderElection(client, wrong, lease -> {}))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("a leader holds the lock alone");
    }
  }

  @Test
  void a_request_that_ends_by_itself_is_refused() {
    for (LockRequest wrong : List.of(
        request.withWait(Duration.ofSeconds(1)), request.withLease(Duration.ofSeconds(1)))) {
      assertThatThrownBy(() -> new LeaderElection(client, wrong, lease -> {}))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("a leader waits without limit and renews its lease");
    }
  }
}
