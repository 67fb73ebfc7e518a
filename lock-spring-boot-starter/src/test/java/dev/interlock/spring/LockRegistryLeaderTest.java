package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Lease;
import dev.interlock.LockRequest;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.leader.event.DefaultLeaderEventPublisher;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/** What Spring Integration makes of a registry: work under a lock, and leadership. */
class LockRegistryLeaderTest extends TwoRegistries {
  @Test
  void work_is_executed_under_its_lock() throws Exception {
    assertThat(registry.<String, RuntimeException>executeLocked(
            "key", () -> isFree("key") ? "free" : "held"))
        .isEqualTo("held");
    assertThatThrownBy(() -> registry.executeLocked("key", SHORT, () -> {
          throw new ExecutionException("as planned", null);
        }))
        .isInstanceOf(ExecutionException.class);
    assertThat(isFree("key")).isTrue();
    try (Lease lease = otherClient.tryAcquire(LockRequest.of("key")).orElseThrow()) {
      AtomicBoolean ran = new AtomicBoolean();
      assertThatThrownBy(() -> registry.executeLocked("key", SHORT, () -> ran.set(true)))
          .isInstanceOf(TimeoutException.class);
      assertThat(ran).isFalse();
    }
  }

  private static LockRegistryLeaderInitiator initiator(
      InterlockLockRegistry registry, AtomicInteger granted, AtomicInteger revoked) {
    LockRegistryLeaderInitiator initiator =
        new LockRegistryLeaderInitiator(registry, new DefaultCandidate("id", "role"));
    initiator.setHeartBeatMillis(50);
    initiator.setLeaderEventPublisher(new DefaultLeaderEventPublisher() {
      @Override
      public void publishOnGranted(
          Object source, org.springframework.integration.leader.Context context, String role) {
        granted.incrementAndGet();
      }

      @Override
      public void publishOnRevoked(
          Object source, org.springframework.integration.leader.Context context, String role) {
        revoked.incrementAndGet();
      }
    });
    return initiator;
  }

  @Test
  void leadership_goes_from_one_to_the_other() {
    AtomicInteger granted = new AtomicInteger();
    AtomicInteger revoked = new AtomicInteger();
    LockRegistryLeaderInitiator first = initiator(registry, granted, revoked);
    LockRegistryLeaderInitiator second = initiator(other, granted, revoked);
    first.start();
    try {
      await().until(() -> first.getContext().isLeader());
      second.start();
      first.setBusyWaitMillis(20_000); // so that it does not come first again
      first.getContext().yield();
      await().until(() -> second.getContext().isLeader());
      assertThat(first.getContext().isLeader()).isFalse();
      assertThat(isFree("role")).isFalse();
    } finally {
      first.stop();
      second.stop();
    }
    await().until(() -> revoked.get() == 2 && isFree("role"));
    assertThat(granted).hasValue(2);
  }

  @Test
  void a_leader_that_lost_its_lock_leads_on_only_while_it_holds_it() throws Exception {
    AtomicInteger granted = new AtomicInteger();
    AtomicInteger revoked = new AtomicInteger();
    LockRegistryLeaderInitiator leader = initiator(registry, granted, revoked);
    leader.start();
    try {
      await().until(() -> leader.getContext().isLeader());
      otherClient.forceRelease("role");
      // A release that comes while the leader leaves an inner entry ends its leadership for a
      // moment.
      await().until(() -> !isFree("role"));
      // It has the lock again. Over its next heart beats nobody else gets it.
      assertThat(otherClient.lock("role").tryLock(500, TimeUnit.MILLISECONDS)).isFalse();
      assertThat(leader.getContext().isLeader()).isTrue();

      try (Lease lease = take("role")) {
        await().until(() -> !leader.getContext().isLeader());
        await().until(() -> revoked.get() == granted.get());
      }
      await().until(() -> leader.getContext().isLeader());
      await().until(() -> granted.get() == revoked.get() + 1);
    } finally {
      leader.stop();
    }
    await().until(() -> revoked.get() == granted.get());
    assertThat(isFree("role")).as("a leader that stops gives its lock up").isTrue();
  }

  /** Takes a lock from its holder, and has it before that one comes back. */
  private Lease take(String name) {
    while (true) {
      client.forceRelease(name);
      Optional<Lease> lease = otherClient.tryAcquire(LockRequest.of(name));
      if (lease.isPresent()) {
        return lease.get();
      }
    }
  }
}
