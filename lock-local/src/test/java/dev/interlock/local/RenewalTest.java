package dev.interlock.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockRequest;
import dev.interlock.LostReason;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.contract.Undisturbed;
import dev.interlock.local.FaultyBackend.Fault;
import dev.interlock.local.FaultyBackend.Gate;
import dev.interlock.local.FaultyBackend.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RenewalTest {
  private final Rig rig = new Rig();
  private final Rig.Client client = rig.open(Duration.ofSeconds(1));

  @AfterEach
  void close() {
    rig.close();
  }

  private int renewals() {
    return client.backend().calls(Operation.RENEW);
  }

  @Undisturbed(millis = 150)
  @DisplayName("N1 a renewed lease outlives many lease times; N2 renewal stops at the release")
  void outlivesLease() throws Exception {
    Lease lease = client.acquire("x");
    Await.until("it was renewed", () -> renewals() >= 6);
    assertThat(lease.isValid()).isTrue();
    assertThat(lease.remaining()).isGreaterThan(Duration.ofMillis(250));
    lease.release();
    int before = renewals();
    Await.pass(800);
    assertThat(renewals()).isLessThanOrEqualTo(before + 1);
  }

  @Undisturbed(millis = 100)
  @DisplayName("N1 a fixed lease is not renewed, unless asked for")
  void renewsOnlyWhenAsked() throws Exception {
    Lease fixed = client.acquire("x", 200);
    Lease renewed = client
        .locks()
        .acquire(LockRequest.of("y").withLease(Duration.ofSeconds(1)).renewing());
    Await.until("the other was renewed", () -> renewals() >= 3);
    assertThat(fixed.isValid()).isFalse();
    assertThat(renewed.isValid()).isTrue();
    renewed.release();
  }

  @Test
  @DisplayName("N2 renewal stops at the loss, and N3 never brings the hold back")
  void stopsAtLoss() throws Exception {
    Lease lease = client.acquire("x");
    rig.open().locks().forceRelease("x");
    Rig.join(lease.lost());
    Lease next = rig.open().acquire("x");
    int before = renewals();
    Await.pass(800);
    assertThat(renewals()).isLessThanOrEqualTo(before + 1);
    assertThat(next.isValid()).isTrue();
    next.release();
  }

  @Undisturbed(millis = 150)
  @DisplayName("N2 a renewal stops with the entry that asked for it")
  void stopsWithEntry() throws Exception {
    LockRequest request = LockRequest.of("x").withOwner("saga");
    Lease fixed = client.locks().acquire(request.withLease(Duration.ofSeconds(2)));
    Lease renewed = client.locks().acquire(request);
    Await.until("it is renewed", () -> renewals() >= 2);
    renewed.release();
    assertThat(Rig.join(fixed.lost())).isEqualTo(LostReason.EXPIRED);
  }

  @Test
  @DisplayName("X1 a loss that is told in time frees the lock for others only when it is over")
  void keepsWhatWasPromised() throws Exception {
    client.backend().always(Operation.RENEW, Fault.requestLost());
    Lease lease = client
        .locks()
        .acquire(LockRequest.of("x").withLease(Duration.ofSeconds(2)).renewing());
    long validUntil = System.nanoTime() + lease.remaining().toNanos();
    assertThat(Rig.join(lease.lost())).isEqualTo(LostReason.EXPIRED);
    Lease next = rig.open().acquire("x");
    assertThat(System.nanoTime() - validUntil).isNotNegative();
    next.release();
  }

  @Undisturbed(millis = 150)
  @DisplayName("N3 a renewal that the server runs in time but answers after the loss is undone")
  void undoesLateAnswer() throws Exception {
    Gate gate = client.backend().next(Operation.RENEW, Gate.beforeReply());
    Lease lease = client
        .locks()
        .acquire(LockRequest.of("x").withLease(Duration.ofMillis(600)).renewing());
    gate.awaitReached();
    assertThat(Rig.join(lease.lost())).isEqualTo(LostReason.EXPIRED);
    gate.open();
    rig.awaitNothingLeft();
  }

  @Test
  @DisplayName("N4 extend answers true only if it was still held, and never shortens")
  void extendsOnlyHeld() throws Exception {
    long called = System.nanoTime();
    Lease lease = client.acquire("x", 20_000);
    assertThat(lease.extend(Duration.ofSeconds(1))).isTrue();
    LeaseTest.assertLasts(lease, Duration.ofSeconds(20), called);
    long extended = System.nanoTime();
    assertThat(lease.extend(Duration.ofSeconds(40))).isTrue();
    LeaseTest.assertLasts(lease, Duration.ofSeconds(40), extended);
    client.backend().dropEvents();
    rig.open().locks().forceRelease("x");
    assertThat(lease.extend(Duration.ofSeconds(60))).isFalse();
    assertThat(lease.isValid()).isFalse();
    assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
    Lease released = client.acquire("y");
    released.release();
    int calls = client.backend().allCalls();
    assertThat(released.extend(Duration.ofSeconds(60))).isFalse();
    assertThat(client.backend().allCalls()).isEqualTo(calls);
  }

  @Undisturbed(millis = 150)
  @DisplayName(
      "E6 an extension whose answer was lost does not outlive the lease that it was to extend")
  void undoesUnknownExtension() throws Exception {
    Lease lease = client.acquire("x", 600);
    client.backend().always(Operation.RENEW, Fault.replyLost());
    assertThatThrownBy(() -> lease.extend(Duration.ofHours(1)))
        .isInstanceOf(OutcomeUnknownException.class);
    client.backend().heal();
    assertThat(Rig.join(lease.lost())).isEqualTo(LostReason.EXPIRED);
    rig.awaitNothingLeft();
  }

  @Undisturbed(millis = 100)
  @DisplayName("E6 a hold that was extended is removed also after an outage longer than its lease")
  void undoesLongExtension() throws Exception {
    Lease lease = client.acquire("x", 300);
    assertThat(lease.extend(Duration.ofHours(1))).isTrue();
    client.backend().always(Operation.RELEASE, Fault.refused());
    client.backend().always(Operation.ABANDON, Fault.refused());
    assertThatThrownBy(lease::release).isInstanceOf(OutcomeUnknownException.class);
    Await.pass(600);
    client.backend().heal();
    rig.awaitNothingLeft();
  }

  @Test
  @DisplayName("E4 an extension is sent again after a short fault")
  void extendsThroughShortFault() throws Exception {
    for (Fault fault : new Fault[] {Fault.refused(), Fault.replyLost(), Fault.requestLost()}) {
      Lease lease = client.acquire("x", 20_000);
      client.backend().next(Operation.RENEW, fault);
      long called = System.nanoTime();
      assertThat(lease.extend(Duration.ofSeconds(40))).isTrue();
      LeaseTest.assertLasts(lease, Duration.ofSeconds(40), called);
      lease.release();
    }
  }

  @Undisturbed(millis = 500)
  @DisplayName("N1 a holder that keeps extending by little is renewed all the same")
  void renewsBesideShortExtensions() throws Exception {
    Lease lease = rig.open(Duration.ofSeconds(3)).acquire("x");
    long start = System.nanoTime();
    while (System.nanoTime() - start < Duration.ofMillis(3500).toNanos()) {
      assertThat(lease.extend(LockRequest.MIN_LEASE)).isTrue();
      Await.pass(20);
    }
    lease.release();
  }

  @Undisturbed(millis = 150)
  @DisplayName("N1 a renewed lease that was extended by much is not renewed without pause")
  void renewsSlowlyAfterLongExtension() throws Exception {
    Lease lease = client.acquire("x");
    lease.extend(Duration.ofSeconds(60));
    int before = renewals();
    Await.pass(1200);
    assertThat(renewals()).isLessThanOrEqualTo(before + 2);
    assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(50));
    lease.release();
  }

  @Undisturbed(millis = 150)
  @DisplayName("N1 a short fault of the server costs no lease")
  void survivesShortFault() throws Exception {
    Lease lease = client.acquire("x");
    for (int i = 0; i < 4; i++) {
      client.backend().next(Operation.RENEW, i % 2 == 0 ? Fault.refused() : Fault.replyLost());
    }
    Await.until("it is renewed again", () -> renewals() >= 6);
    assertThat(lease.isValid()).isTrue();
    lease.release();
  }

  @Undisturbed(millis = 300)
  @DisplayName("N6 many leases are renewed in few batches of at most 256")
  void renewsInBatches() throws Exception {
    List<Lease> leases = new ArrayList<>();
    LockRequest template = LockRequest.of("x").withLease(Duration.ofSeconds(2)).renewing();
    for (int i = 0; i < 600; i++) {
      LockRequest request =
          LockRequest.of("x" + i).withLease(template.lease().orElseThrow()).renewing();
      leases.add(client.locks().acquire(request));
    }
    Await.pass(2500);
    assertThat(leases).allMatch(Lease::isValid);
    assertThat(client.backend().largestBatch()).isBetween(2, 256);
    assertThat(renewals()).isLessThan(100);
    leases.forEach(Lease::release);
  }
}
