package dev.interlock.tck.internal.rules;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Capability;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.tck.NotOfferedException;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.TckMembers;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.MemberLinks;
import dev.interlock.tck.internal.run.Neighbours;
import dev.interlock.tck.internal.run.NotReached;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rules Q2 to Q4: backends that are made of several servers, whose votes are counted. */
public final class MemberRules {
  /** How far ahead the clock of a member is that is set wrong, in what tokens count. */
  private static final long AHEAD = Duration.ofHours(1).toNanos() / 1_000;

  private MemberRules() {}

  /** How many members may fail. */
  static int spare(TckMembers members) {
    return members.all().size() - members.need();
  }

  static void requireSpare(RuleRun run) {
    if (spare(run.members()) == 0) {
      throw new NotOfferedException("to lose a member, for every one is needed");
    }
  }

  @Rule(
      value = "Q2",
      check = "that a grant is answered once enough members have recorded its token",
      neighbours = Neighbours.NONE,
      limit = 120,
      needs = TckFault.CONNECTION)
  public static void tokensGrowOverAlternatingMajorities(RuleRun run) throws Exception {
    requireSpare(run);
    if (!run.has(Capability.FENCED)) {
      throw new NotOfferedException("fencing tokens");
    }
    List<TckMembers.Member> members = run.members().all();
    List<LockClient> clients = new ArrayList<>();
    for (int member = 0; member < members.size(); member++) {
      MemberLinks links = run.links();
      clients.add(run.client(links));
      links.cutOff(member);
    }
    run.fault("clients that are cut off from one member each");
    int rounds = run.amount(6, 30, 300) * members.size();
    String name = run.name();
    long before = 0;
    for (int round = 0; round < rounds; round++) {
      int ahead = round % members.size();
      advance(run, members.get(ahead), name);
      // The first of these has the member whose clock is ahead, the second one has not.
      for (int cut : new int[] {(ahead + 1) % members.size(), ahead}) {
        Lease lease =
            clients.get(cut).acquire(Leases.fixed(run, name, 20_000).withWait(run.limit(9_000)));
        long token = lease.fencingToken();
        Leases.release(lease);
        run.count(2);
        run.expect(
            token > before,
            "the token of a later hold is larger than " + before,
            "it is " + token + ", of a client that is cut off from member " + (cut + 1));
        before = token;
      }
    }
    run.note(
        2 * rounds + " holds by majorities that alternate, with members' clocks an hour apart");
  }

  /** Makes a member count on from an hour later, as one does whose clock is set wrong. */
  private static void advance(RuleRun run, TckMembers.Member member, String name)
      throws InterruptedException {
    try (DirectBackend direct = run.direct(member)) {
      HoldId id = direct.newId();
      Duration lease = run.ms(20_000);
      // What a client that is cut off from it could not give back there may be left for a moment.
      Grant held = direct.acquire(name, id, lease, run.limit(10_000));
      Renewal ahead = Renewal.of(name, id, lease, false).withMinToken(held.fencingToken() + AHEAD);
      RenewalResult raised =
          RenewalAnswers.collect(direct.backend(), List.of(ahead)).get(0);
      // By what it keeps: what it says of a raised token is in question.
      long token = direct.backend().inspect(name).map(HoldInfo::fencingToken).orElse(0L);
      if (token < ahead.minToken()) {
        throw new NotReached("the token of a member was not raised: " + raised);
      }
      direct.release(name, id);
    }
  }

  @Rule(
      value = "Q3",
      check = "that too few votes are an error, which tells what each member said",
      neighbours = Neighbours.NONE,
      limit = 120,
      timed = true,
      needs = TckFault.CONNECTION)
  public static void withoutEnoughMembersNothingIsGranted(RuleRun run) throws Exception {
    LockClient observer = run.client();
    List<HarmedMember> each = HarmedMember.each(run.members().all().size());
    // Each harms the links of a client of its own, and waits for answers most of the time.
    SideBySide.each(each, first -> expectNoLockWithout(run, observer, first));
    run.note("without enough members nothing was granted, and the errors named those that failed");
  }

  /** Without the first one that fails, and those after it. */
  private static boolean expectNoLockWithout(RuleRun run, LockClient observer, HarmedMember first)
      throws Exception {
    int all = run.members().all().size();
    int failing = spare(run.members()) + 1;
    MemberLinks links = run.links();
    LockClient client = run.client(links);
    List<Integer> failed = new ArrayList<>();
    for (int i = 0; i < failing; i++) {
      int member = (first.member() + i) % all;
      first.to(links, member);
      failed.add(member);
    }
    run.fault("a client " + first.words() + " " + failing + " of " + all + " members");
    expectNoLock(run, client, links, failed);
    links.heal();
    run.expectWorking(client, run.limit(9_000), "once all members answer again");
    run.expectWorking(observer, run.limit(9_000), "meanwhile");
    client.close();
    return true;
  }

  private static void expectNoLock(
      RuleRun run, LockClient client, MemberLinks links, List<Integer> failed)
      throws InterruptedException {
    LockRequest request = LockRequest.of(run.name()).withLease(run.ms(10_000));
    for (int i = 0; i < 3; i++) {
      long start = System.nanoTime();
      LockException error;
      try {
        Lease lease = client.acquire(request.withWait(run.ms(2_000)));
        throw new RuleViolation(
            "without enough members no lock is granted", "it was: " + lease, List.of());
      } catch (LockTimeoutException e) {
        throw new RuleViolation(
            "without enough members the answer is an error",
            "it is \"held by another\"",
            List.of());
      } catch (LockException e) {
        error = e;
      }
      Duration took = RuleRun.since(start);
      run.count(1);
      run.expect(
          took.compareTo(run.within(2_000, 3_000)) < 0,
          "the error comes within the wait of 2 s and 3 s more",
          "it came after " + took);
      String message = String.valueOf(error.getMessage());
      for (int member : failed) {
        run.expect(
            message.contains("member " + (member + 1)) || message.contains(links.address(member)),
            "the error names member " + (member + 1) + ", which failed",
            "it is: " + message);
      }
    }
  }

  @Rule(
      value = "Q4",
      check = "that it is noticed when a member lost its state, before its vote counts",
      neighbours = Neighbours.NONE,
      limit = 90,
      needs = {TckFault.CONNECTION, TckFault.LOSE_STATE})
  public static void aMemberThatForgotDoesNotVote(RuleRun run) throws Exception {
    requireSpare(run);
    List<TckMembers.Member> members = run.members().all();
    if (members.stream().allMatch(run::isDurable)) {
      throw new NotOfferedException("to empty a member, for all are DURABLE");
    }
    run.server(); // heals all of them, also if this ends early
    for (int member = 0; member < members.size(); member++) {
      if (!run.isDurable(members.get(member))) {
        forget(run, member);
      }
    }
    run.note("an emptied member let nobody into a lock that was held");
  }

  /**
   * The holder has its lock on enough members, of which this one forgets. Others are cut off from
   * the rest of the holder's members, so that its vote would make the difference.
   */
  private static void forget(RuleRun run, int forgetting) throws Exception {
    List<TckMembers.Member> members = run.members().all();
    int all = members.size();
    MemberLinks holders = run.links();
    MemberLinks others = run.links();
    LockClient holder = run.client(holders);
    LockClient other = run.client(others);
    for (int i = 1; i <= spare(run.members()); i++) {
      holders.cutOff((forgetting + i) % all);
    }
    String name = run.name();
    Lease held = holder.acquire(Leases.fixed(run, name, 20_000).withWait(run.limit(9_000)));
    for (int i = spare(run.members()) + 1; i < all; i++) {
      others.cutOff((forgetting + i) % all);
    }
    members.get(forgetting).server().loseState();
    run.fault("emptied member " + (forgetting + 1));
    // It has not seen the member before: that it is empty is no beginning to this one, either.
    LockClient late = run.client();
    long start = System.nanoTime();
    while (RuleRun.since(start).compareTo(run.ms(3_000)) < 0) {
      expectNotGranted(run, other, name);
      expectNotGranted(run, late, name);
      RuleRun.pause(run.ms(100));
    }
    Leases.expectValid(run, held, "the holder's lease");
    Leases.release(held);
    holders.heal();
    others.heal();
    // All begin anew, or this one would not vote in other rules.
    run.server().loseState();
    // By the client that got nothing before: it was not kept from it by a fault of its own.
    run.expectWorking(other, run.limit(9_000), "once all members are empty");
  }

  private static void expectNotGranted(RuleRun run, LockClient other, String name) {
    LockRequest request = LockRequest.of(name).withLease(run.ms(1_000));
    try {
      run.expectWhileHeld(
          name,
          () -> other.tryAcquire(request).isEmpty(),
          "an emptied member does not let anybody into a lock that is held",
          "another client got it");
    } catch (BackendUnavailableException | OutcomeUnknownException e) {
      // There are not enough members that may vote. Any other error is a fault of this client.
    }
  }
}
