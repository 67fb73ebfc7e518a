package dev.interlock.tck.internal.rules;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.MemberLinks;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A lock that a client gets while one of the members is harmed, and that a silent member grants,
 * too, without being able to say so.
 *
 * <p>It takes more than a silent member. A client asks none that it is still connecting to, or
 * found slow a moment ago, and what it asks on a new connection never gets past the greeting. So
 * the lock is looked for on the member itself, and if it never was there, all is healed and tried
 * again.
 *
 * @param name of the lock, which is released
 * @param wasSeen whether the member had granted it
 */
record UnheardGrant(String name, boolean wasSeen) {
  private static final int TRIES = 4;

  /** For how long to look for a lock on a member once the client has it. */
  private static final long LOOK_MILLIS = 300;

  /**
   * Harms a member, and has the others grant a lock. It is no promise that a client asks all
   * members, and a grant may take two packets, so this ends also if the member never granted one.
   */
  static UnheardGrant reach(
      RuleRun run,
      LockClient client,
      MemberLinks links,
      DirectBackend member,
      HarmedMember harmed,
      String when)
      throws InterruptedException {
    for (int tries = 1; ; tries++) {
      awaitAsked(run, client, member);
      harmed.to(links, harmed.member());
      run.fault(when);
      // At once: a member that is left out is not asked.
      UnheardGrant grant = acquire(run, client, member, when);
      if (grant.wasSeen() || !harmed.isAsked() || tries == TRIES) {
        return grant;
      }
      links.heal();
    }
  }

  /** Until the client has a lock on the member, too: the others would have been enough. */
  private static void awaitAsked(RuleRun run, LockClient client, DirectBackend member)
      throws InterruptedException {
    long start = System.nanoTime();
    boolean asked = false;
    while (!asked && RuleRun.since(start).compareTo(run.ms(5_000)) < 0) {
      asked = acquire(run, client, member, "while all members answer").wasSeen();
    }
  }

  /** Acquires and releases a lock, and looks whether it is on the member meanwhile. */
  private static UnheardGrant acquire(
      RuleRun run, LockClient client, DirectBackend member, String when)
      throws InterruptedException {
    run.count(1);
    String name = run.name();
    // The lease outlasts all that comes before the member is looked at again.
    CompletableFuture<Lease> acquired =
        client.acquireAsync(Leases.fixed(run, name, 30_000).withWait(run.limit(8_000)));
    boolean seen = false;
    long since = System.nanoTime();
    while (!seen && RuleRun.since(since).compareTo(Duration.ofMillis(LOOK_MILLIS)) < 0) {
      seen = member.backend().inspect(name).isPresent();
      if (!acquired.isDone()) {
        since = System.nanoTime();
      }
      RuleRun.pause(Duration.ofMillis(5));
    }
    try {
      Leases.release(acquired.join());
    } catch (CompletionException e) {
      if (e.getCause() instanceof LockException) {
        throw new RuleViolation(
            when + " a lock is granted, if need be by the others",
            "it is not: " + e.getCause().getMessage(),
            List.of());
      }
      throw e;
    }
    return new UnheardGrant(name, seen);
  }
}
