package dev.interlock.quorum.internal.hold;

import static org.assertj.core.api.Assertions.assertThat;

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

  // A pause of this JVM, in which no member answers, makes them silent. It is repeated with new
  // members then: what these still have to do would disturb another batch.
  @Undisturbed(millis = 100)
  @DisplayName("N7: members that answer one renewal after the other are not silent meanwhile")
  void areNotSilent() throws Exception {
    List<Renewal> batch = new ArrayList<>();
    for (int i = 0; i < LEASES; i++) {
      Attempt held = attempt("n" + i);
      assertThat(quorum.attempt(held)).isInstanceOf(Grant.class);
      awaitVotes(held); // so that the members count alike, and no token is raised below
      batch.add(Renewal.of(held.name(), held.id(), LEASE, false));
    }
    List<Semaphore> turns =
        Stream.generate(() -> new Semaphore(0)).limit(members.size()).toList();
    for (int i = 0; i < members.size(); i++) {
      members.get(i).beforeRenewed(turns.get(i)::acquireUninterruptibly);
    }
    CompletableFuture<List<RenewalResult>> renewed =
        CompletableFuture.supplyAsync(() -> RenewalAnswers.collect(quorum, batch));
    for (int i = 0; i < LEASES; i++) {
      turns.forEach(Semaphore::release);
      takeAndRelease();
      TimeUnit.NANOSECONDS.sleep(STEP);
    }
    assertThat(renewed.get(30, TimeUnit.SECONDS)).hasSize(LEASES).allMatch(Grant.class::isInstance);
  }
}
