package dev.interlock.quorum.internal.hold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.BackendUnavailableException;
import dev.interlock.contract.Undisturbed;
import dev.interlock.quorum.SteeredMembers;
import dev.interlock.quorum.internal.member.Member;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;

/** Members that need longer for a batch of renewals than one may be silent. */
@Timeout(120)
class SlowRenewalsTest extends SteeredMembers {
  private static final int LEASES = 40;

  /** Between two answers of a member: the last one comes after twice {@link Member#SILENT}. */
  private static final long STEP = 2 * Member.SILENT.toNanos() / LEASES;

  // A pause of this JVM, in which no member answers, makes them silent.
  @Undisturbed(millis = 30)
  @DisplayName("N7: members that answer one renewal after the other are not silent meanwhile")
  void areNotSilent() throws Exception {
    List<Renewal> batch = new ArrayList<>();
    for (int i = 0; i < LEASES; i++) {
      Attempt held = attempt("n" + i);
      assertThat(quorum.attempt(held)).isInstanceOf(Grant.class);
      batch.add(Renewal.of(held.name(), held.id(), LEASE, false));
    }
    List<Semaphore> turns =
        Stream.generate(() -> new Semaphore(0)).limit(members.size()).toList();
    for (int i = 0; i < members.size(); i++) {
      members.get(i).beforeRenewed(turns.get(i)::acquireUninterruptibly);
    }
    boolean inTime = false;
    while (!inTime) {
      inTime = true;
      CompletableFuture<List<RenewalResult>> renewed =
          CompletableFuture.supplyAsync(() -> RenewalAnswers.collect(quorum, batch));
      for (int i = 0; i < LEASES; i++) {
        long before = System.nanoTime();
        turns.forEach(Semaphore::release);
        BackendUnavailableException silent = null;
        try {
          takeAndRelease();
        } catch (BackendUnavailableException e) {
          silent = e;
        }
        TimeUnit.NANOSECONDS.sleep(STEP);
        // Else this JVM stood still, and so did the members: all anew.
        inTime &= System.nanoTime() - before < Member.SILENT.toNanos() / 2;
        if (inTime && silent != null) {
          throw silent;
        }
      }
      List<RenewalResult> results = renewed.handle((all, error) -> all).get(30, TimeUnit.SECONDS);
      if (inTime) {
        assertThat(results).hasSize(LEASES).allMatch(Grant.class::isInstance);
      }
    }
  }
}
