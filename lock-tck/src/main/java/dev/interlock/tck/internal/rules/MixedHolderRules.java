package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.DistributedLock;
import dev.interlock.DistributedReadWriteLock;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.util.ArrayList;
import java.util.List;

/** Groups R, C and S where holders of different kinds, or of one owner and others, meet. */
public final class MixedHolderRules {
  private static final int SIZE = 3;
  private static final long LONG = 30_000;
  private static final long BRIEF = 300;

  private MixedHolderRules() {}

  @Rule(value = "R3", check = "that a named owner's hold lets it in only where others leave room")
  public static void anOwnerThatReadsDoesNotWriteBesideOthers(RuleRun run) throws Exception {
    if (!run.has(Capability.SHARED_OWNER)) {
      return;
    }
    LockRequest request = Leases.once(run, run.name(), LONG);
    LockRequest owned = request.withOwner(SharedOwnerRules.OWNER);
    Lease own = Leases.expectGiven(run, run.client(), owned.shared(), "a free lock, to be read,");
    Lease other = Leases.expectGiven(run, run.client(), request.shared(), "a part beside a reader");
    expectRefused(run, owned, "a named owner that reads is not let write beside another reader");
    own.release();
    other.release();
  }

  @Rule(value = "R3", check = "that a writer that reads, too, is alone until it gives up writing")
  public static void aWriterThatReadsIsStillAlone(RuleRun run) throws Exception {
    LockRequest reader = Leases.once(run, run.name(), LONG).shared();
    DistributedReadWriteLock lock = run.client().readWriteLock(reader.name());
    for (DistributedLock one : List.of(lock.writeLock(), lock.readLock())) {
      run.expect(one.tryLock(run.limit(3_000), run.ms(LONG)), "a thread enters alone", "it waits");
    }
    expectRefused(run, reader, "nobody reads beside a writer that reads, too");
    lock.readLock().unlock();
    expectRefused(run, reader, "nobody reads beside a writer that has read, too");
    lock.writeLock().unlock();
    run.expectFree(run.client(), reader.name(), run.limit(1_000), "after a writer that read, too");
  }

  @Rule(
      value = "C4",
      check = "that a size counts for as long as a hold that names it, however that ends",
      timed = true)
  public static void aSizeEndsWithItsHold(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    DirectBackend direct = run.direct();
    LockClient client = run.client();
    List<Attempt> halves = new ArrayList<>();
    for (long lease : new long[] {BRIEF, LONG, LONG}) {
      Attempt half = Attempt.of(run.name(), direct.newId(), "tck", run.ms(lease))
          .withFair(true)
          .withUnits(1, 2);
      direct.acquire(half, run.limit(3_000));
      LockRequest beside = Leases.once(run, half.name(), LONG).permits(1, SIZE + 1);
      Leases.expectGiven(run, client, beside, "one permit beside another");
      halves.add(half);
    }
    direct.abandon(halves.get(1).name(), halves.get(1).id());
    if (run.has(Capability.FENCED)) {
      HoldInfo first = client.inspect(halves.get(2).name()).orElseThrow();
      direct.backend().forceRelease(first.name(), first.fencingToken());
    } else {
      direct.release(halves.get(2).name(), halves.get(2).id());
    }
    RuleRun.pause(run.expiry(2 * BRIEF));
    for (Attempt half : halves) {
      LockRequest rest = Leases.once(run, half.name(), LONG).permits(SIZE, SIZE + 1);
      Leases.expectGiven(
          run, client, rest, "the rest of four, when nobody counts on two any more,");
    }
  }

  @Rule(value = "C1", check = "that all who hold a lock count, whatever they asked for")
  public static void readersAndPermitsCountTogether(RuleRun run) throws Exception {
    if (!run.has(Capability.SHARED)) {
      return;
    }
    LockRequest request = Leases.once(run, run.name(), LONG);
    Lease reader =
        Leases.expectGiven(run, run.client(), request.shared(), "a free lock, to be read,");
    expectRefused(run, request.permits(SIZE, SIZE), "not all permits are given beside a reader");
    Lease two = Leases.expectGiven(
        run, run.client(), request.permits(2, SIZE), "two of three, beside one,");
    expectRefused(
        run, request.shared(), "no reader comes in beside one where there is room for three");
    reader.release();
    two.release();
  }

  @Rule(value = "S1", check = "that it is kept with a hold whether its owner was named")
  public static void anOwnerThatWasNotNamedIsAnother(RuleRun run) throws Exception {
    if (run.isForeign() || !run.has(Capability.SHARED_OWNER)) {
      return;
    }
    DirectBackend holder = run.direct();
    DirectBackend other = run.direct();
    for (boolean named : new boolean[] {true, false}) {
      String name = run.name();
      HoldId id = holder.newId();
      Attempt first = Attempt.of(name, id, SharedOwnerRules.OWNER, run.ms(LONG));
      Attempt second = Attempt.of(name, other.newId(), SharedOwnerRules.OWNER, run.ms(LONG));
      holder.acquire(first.withSharedOwner(named), run.limit(3_000));
      run.expectWhileHeld(
          name,
          () -> !(other.attempt(second.withSharedOwner(!named)) instanceof Grant),
          "a named owner is another one than a thread or a request of that name",
          "one was let in beside the other");
      holder.release(name, id);
    }
  }

  private static void expectRefused(RuleRun run, LockRequest request, String expected)
      throws Exception {
    LockClient client = run.client();
    run.expectWhileHeld(
        request.name(), () -> client.tryAcquire(request).isEmpty(), expected, "it was granted");
  }
}
