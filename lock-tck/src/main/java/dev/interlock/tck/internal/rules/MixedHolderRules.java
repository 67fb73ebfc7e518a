package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;

/** Groups R, C and S where holders of different kinds, or of one owner and others, meet. */
public final class MixedHolderRules {
  private static final int SIZE = 3;
  private static final long LONG = 30_000;

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
