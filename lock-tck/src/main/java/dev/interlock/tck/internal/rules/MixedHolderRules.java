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
      value = "R3",
      check = "that one who reads beside its own writing has a hold of its own",
      timed = true)
  public static void aReaderOutlivesItsOwnWriting(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    boolean fenced = run.has(Capability.FENCED);
    DirectBackend direct = run.direct();
    LockClient observer = run.client();
    List<Attempt> readers = new ArrayList<>();
    for (long lease : fenced ? new long[] {BRIEF, LONG} : new long[] {BRIEF}) {
      String name = run.name();
      HoldId writer = direct.newId();
      Grant writing = direct.acquire(name, writer, run.ms(lease), run.limit(3_000));
      Attempt reader = Attempt.of(name, direct.newId(), "tck", run.ms(LONG))
          .withFair(true)
          .withUnits(1, Integer.MAX_VALUE)
          .withBeside(writer);
      Grant reading = direct.acquire(reader, run.limit(3_000));
      readers.add(reader);
      run.expect(
          !fenced || reading.fencingToken() > writing.fencingToken(),
          "one who reads beside its writing has a larger token than " + writing.fencingToken(),
          "it has " + reading.fencingToken());
      if (lease == LONG) {
        run.expectWhileHeld(
            name,
            () -> direct.backend().forceRelease(name, writing.fencingToken()),
            "the token of a writer that reads, too, ends its writing",
            "it did not");
      }
    }
    RuleRun.pause(run.expiry(2 * BRIEF));
    for (Attempt reader : readers) {
      String name = reader.name();
      run.expectHeld(observer, name, "while one reads whose own writing has ended");
      run.expectWhileHeld(
          name,
          () -> direct.release(name, reader.id()),
          "a reader whose own writing has ended reads until its release",
          "it read no more");
      run.expectFree(observer, name, run.limit(1_000), "after reading and writing");
    }
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
