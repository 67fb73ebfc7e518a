package dev.interlock.spring.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.LostReason;
import dev.interlock.spring.Contexts;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which interrupts a thread keeps when work within other work ends. */
class LeaseScopeTest {
  private final LockClient client = Locks.open("local://?namespace=" + Contexts.namespace());
  private final CompletableFuture<LostReason> outerLost = new CompletableFuture<>();
  private final CompletableFuture<LostReason> innerLost = new CompletableFuture<>();

  @AfterEach
  void close() {
    assertThat(Thread.interrupted()).as("after all work").isFalse();
    client.close();
  }

  private LeaseScope open(String name, CompletableFuture<LostReason> lost) {
    LockRequest request = LockRequest.of(name);
    Lease lease = client.tryAcquire(request).orElseThrow();
    LeaseScope.Held held = new LeaseScope.Held(new HeldPart(client, request), lease, null);
    return LeaseScope.open(new Entry(held, lost, lease::release), true);
  }

  @Test
  void the_end_of_inner_work_leaves_the_interrupt_for_the_loss_of_another_lease_further_out() {
    try (LeaseScope outer = open("outer", outerLost)) {
      try (LeaseScope inner = open("inner", innerLost)) {
        outerLost.complete(LostReason.GONE);
        innerLost.complete(LostReason.GONE);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
      }
      assertThat(Thread.currentThread().isInterrupted())
          .as("for the outer work")
          .isTrue();
    }
  }

  @Test
  void the_end_of_inner_work_takes_its_own_interrupt_away() {
    try (LeaseScope outer = open("outer", outerLost)) {
      try (LeaseScope inner = open("inner", innerLost)) {
        innerLost.complete(LostReason.GONE);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
      }
      assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
  }
}
