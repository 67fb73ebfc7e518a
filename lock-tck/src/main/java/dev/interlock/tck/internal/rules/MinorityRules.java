package dev.interlock.tck.internal.rules;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.TckMembers;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.MemberLinks;
import dev.interlock.tck.internal.run.Neighbours;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.List;

/** Rule Q1: a minority of the servers that a backend is made of fails. */
public final class MinorityRules {
  private MinorityRules() {}

  @Rule(
      value = "Q1",
      check = "that members which do not answer are left out, and that those which are left decide",
      neighbours = Neighbours.NONE,
      limit = 120,
      timed = true,
      needs = TckFault.CONNECTION)
  public static void aMinorityThatFailsCostsNoLock(RuleRun run) throws Exception {
    MemberRules.requireSpare(run);
    LockClient observer = run.client();
    List<HarmedMember> each = HarmedMember.each(run.members().all().size());
    // Each harms the links of a client of its own, and waits for leases most of the time.
    List<Boolean> unheard =
        SideBySide.each(each, harmed -> expectHeldWithout(run, observer, harmed));
    // Not of all: a grant that takes two packets is not made by a member that is not heard.
    if (unheard.contains(true)) {
      run.fault("a member granted a lock and could not tell");
    } else {
      run.note("no silent member granted a lock, so votes that were not heard were not judged");
    }
    run.note("with any one member cut off or silent, locks were held, renewed and released");
  }

  /** Answers whether the member granted a lock and could not tell. */
  private static boolean expectHeldWithout(RuleRun run, LockClient observer, HarmedMember harmed)
      throws Exception {
    String when = "while a client " + harmed.words() + " member " + (harmed.member() + 1);
    MemberLinks links = run.links();
    LockClient client = run.client(links);
    try (DirectBackend member = run.direct(run.members().all().get(harmed.member()))) {
      String name = run.name();
      Lease held = client.acquire(Leases.lasting(run, name, 4_000));
      UnheardGrant unheard = UnheardGrant.reach(run, client, links, member, harmed, when);
      run.expectWorking(client, run.limit(8_000), when);
      run.expectHeld(observer, name, when);
      RuleRun.pause(run.ms(5_000));
      run.expect(held.isValid(), when + " its renewed lease stays valid", "it was lost");
      run.expectHeld(observer, name, when);
      Leases.release(held);
      run.expectFree(observer, name, run.limit(5_000), "after a release " + when);
      links.heal();
      expectNothingLeft(run, member, harmed.member(), unheard.name(), when);
      client.close();
      return unheard.wasSeen();
    }
  }

  /** A member may have granted what it could not tell; it would be in the way for a lease. */
  private static void expectNothingLeft(
      RuleRun run, DirectBackend member, int place, String name, String when)
      throws InterruptedException {
    Duration limit = run.limit(5_000);
    long start = System.nanoTime();
    while (member.backend().inspect(name).isPresent()) {
      run.expect(
          RuleRun.since(start).compareTo(limit) < 0,
          "a lock that was released " + when + " is free on member " + (place + 1) + " within "
              + limit.toMillis() + " ms once that answers again",
          "it is still held there");
      RuleRun.pause(run.ms(20));
    }
  }

  @Rule(
      value = "Q1",
      check = "that servers are left out which are down, and asked again once they are back",
      neighbours = Neighbours.NONE,
      limit = 180,
      timed = true,
      needs = {TckFault.RESTART, TckFault.PAUSE})
  public static void aMinorityThatIsDownCostsNoLock(RuleRun run) throws Exception {
    MemberRules.requireSpare(run);
    LockClient client = run.client();
    LockClient other = run.client();
    List<TckMembers.Member> members = run.members().all();
    run.server(); // heals all of them
    for (TckMembers.Member member : members) {
      if (!run.isDurable(member)) {
        continue; // one that is killed comes back without its state, and does not vote for long
      }
      expectWorkingWithout(run, client, other, member, false);
    }
    for (TckMembers.Member member : members) {
      expectWorkingWithout(run, client, other, member, true);
    }
    run.note("with any one member stopped, or killed, locks were held and granted");
  }

  private static void expectWorkingWithout(
      RuleRun run, LockClient client, LockClient other, TckMembers.Member member, boolean pause)
      throws Exception {
    String name = run.name();
    Lease held = client.acquire(Leases.lasting(run, name, 8_000));
    if (pause) {
      member.server().pause();
    } else {
      member.server().kill();
    }
    run.fault(pause ? "stopped a member" : "killed a member");
    run.expectWorking(other, run.limit(8_000), "without a member");
    run.expectHeld(other, name, "without a member");
    Leases.release(held);
    run.expectFree(other, name, run.limit(5_000), "after a release without a member");
    if (pause) {
      member.server().resume();
    } else {
      member.server().start();
    }
    run.expectWorking(other, run.limit(8_000), "after a member returned");
  }
}
