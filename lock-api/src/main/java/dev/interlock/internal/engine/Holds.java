package dev.interlock.internal.engine;

import dev.interlock.Capability;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.LostReason;
import dev.interlock.internal.running.Agenda;
import dev.interlock.internal.running.BackendCalls;
import dev.interlock.internal.running.ClientThreads;
import dev.interlock.internal.running.Clocks;
import dev.interlock.internal.running.Listeners;
import dev.interlock.internal.running.Renewals;
import dev.interlock.internal.running.Validity;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.RenewalResult;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * What this client holds: validity, renewal, re-entry and loss. Grants come in from
 * {@link Contention}, and {@link Releases} takes them away.
 */
final class Holds {
  private static final Logger LOG = System.getLogger("dev.interlock");

  private final Terms terms;
  private final Clocks clocks;
  private final Agenda agenda;
  private final Renewals renewals;
  private final Leftovers leftovers;
  private final Listeners listener;
  private final HoldNews news;
  private final Extensions extensions;
  private final ConcurrentHashMap<HoldId, RemoteHold> byId = new ConcurrentHashMap<>();
  private final HoldIndex index = new HoldIndex();
  private final Owners owners = new Owners(index, this);
  private final EarlyRevocations early = new EarlyRevocations();
  private final Departures departures = new Departures();
  private final LocalQueues queues;
  private final Consumer<Hold> lastExit;

  /**
   * Creates it.
   *
   * @param queues whose first waiter tries once this client no longer holds a lock
   * @param lastExit gives up a hold that has had its last exit
   */
  Holds(
      Terms terms,
      BackendCalls calls,
      Agenda agenda,
      Renewals renewals,
      Leftovers leftovers,
      Listeners listener,
      HoldNews news,
      LocalQueues queues,
      Consumer<Hold> lastExit) {
    this.terms = terms;
    this.clocks = calls.clocks();
    this.agenda = agenda;
    this.renewals = renewals;
    this.leftovers = leftovers;
    this.listener = listener;
    this.news = news;
    this.queues = queues;
    this.lastExit = lastExit;
    this.extensions = new Extensions(calls, this);
  }

  /**
   * Makes a grant a hold.
   *
   * @param since a moment not later than the grant, on this JVM's monotonic clock
   */
  Hold granted(Waiter waiter, Grant grant, long since) {
    RemoteHold remote = new RemoteHold(this, waiter, grant, since, clocks);
    byId.put(remote.id(), remote);
    register(remote.holder());
    watch(remote, remote.nextLook());
    if (early.remove(remote.id()) && terms.has(Capability.RENEWABLE)) {
      renew(remote);
    }
    return remote.holder();
  }

  /** Passes the lock on within this client; only after {@link RemoteHold#canPass}. */
  Hold pass(Hold from, Grantee to) {
    Hold hold = from.remote().pass(from, to);
    register(hold);
    if (to.isCounted()) {
      news.ended(from);
      index.remove(from);
    }
    // The agenda may have looked at the hold while it was between two holders.
    watch(from.remote(), from.remote().nextLook());
    // The server may have taken it away just then, which found no holder to tell.
    LostReason taken = from.remote().taken();
    if (taken != null) {
      lost(hold, taken);
    }
    return hold;
  }

  private void register(Hold hold) {
    for (Hold before : index.add(hold)) {
      succeeds(hold, before);
    }
    if (hold.hasEnded()) {
      index.remove(hold); // taken away before it was there, and nobody will do it
    }
  }

  /** The server has granted the lock twice: the hold with the smaller token must be over. */
  private void succeeds(Hold hold, Hold before) {
    if (hold.token() > before.token()) {
      lost(before, LostReason.GONE);
    } else if (hold.token() < before.token() && terms.has(Capability.RENEWABLE)) {
      // Its answer was overtaken by the next grant's. The server knows which one is there.
      index.restore(before, hold);
      renew(before.remote());
      renew(hold.remote());
    } // or one owner shares it
    news.ended(before); // its release may not have been answered yet
  }

  HoldIndex index() {
    return index;
  }

  Owners owners() {
    return owners;
  }

  /** Tells whether this client holds the lock alone, so that a waiter need not ask the server. */
  boolean isHeldHere(String name) {
    Hold hold = index.exclusive(name);
    return hold != null && hold.remote().isValidAt(System.nanoTime());
  }

  /** All holds that have not ended, for closing. */
  List<Hold> all() {
    return byId.values().stream().map(RemoteHold::holder).toList();
  }

  Departures departures() {
    return departures;
  }

  /**
   * Adds an entry of the same owner, with the lease that it asks for.
   *
   * @return false if the hold has been lost; nothing is changed
   */
  boolean reenter(Hold hold, Grantee grantee) {
    if (!hold.enter(grantee.renewing())) {
      expired(hold);
      return false;
    }
    boolean entered = false;
    try {
      entered = coverLease(hold, grantee);
    } finally {
      if (!entered) {
        undoEntry(hold, grantee.renewing());
      }
    }
    return entered;
  }

  /** Takes back an entry that nobody will use. Meanwhile it may have become the last one. */
  void undoEntry(Hold hold, boolean renewing) {
    switch (hold.exit(renewing)) {
      case MORE -> {}
      case LAST -> lastExit.accept(hold);
      // Nothing was counted back. A late answer must not make the hold valid with an entry more.
      case LOST -> expired(hold);
    }
  }

  private boolean coverLease(Hold hold, Grantee grantee) {
    RemoteHold remote = hold.remote();
    long needed = grantee.lease();
    // A renewed lease is never fresher than two thirds of its length; a fixed one must be whole.
    long enough = grantee.renewing() ? needed / 2 : Validity.until(0, needed);
    boolean covered = hold.remaining() >= enough;
    if (!covered) {
      terms.require(Capability.RENEWABLE, "a re-entry with more lease than is left");
      covered = extend(hold, needed);
    }
    if (covered && grantee.renewing()) {
      remote.atLeast(needed);
      watch(remote, remote.nextLook());
    }
    return covered;
  }

  /** Asks the server for more time. Answers false if the hold was gone. */
  boolean extend(Hold hold, long lease) {
    return extensions.extend(Map.of(hold, lease));
  }

  /**
   * Gives leases that have lost a part of their time the whole of it again, all in one request, if
   * the backend can.
   *
   * @param fixed how long each is to last, in nanoseconds
   */
  void refresh(Map<Hold, Long> fixed) {
    Map<Hold, Long> needs = new LinkedHashMap<>(fixed);
    // Less than the margin for drift is not worth a round trip.
    needs
        .entrySet()
        .removeIf(need -> need.getKey().remaining()
            >= Validity.until(0, need.getValue()) - Validity.margin(need.getValue()));
    if (!needs.isEmpty() && terms.has(Capability.RENEWABLE)) {
      extensions.extend(needs);
    }
  }

  void renew(RemoteHold remote) {
    remote.asking(System.nanoTime(), remote.needs());
    renewals.submit(remote);
  }

  void watch(RemoteHold remote, long at) {
    agenda.put(remote, at);
  }

  void renewed(RemoteHold remote, RenewalResult result, long sentAt, long lease) {
    if (confirmed(remote, result, sentAt, lease)) {
      listener.renewed(remote.name(), remote.holder().token(), Duration.ofNanos(lease));
    }
  }

  /** Takes in what the server says of a hold. Answers whether it is held. */
  boolean confirmed(RemoteHold remote, RenewalResult result, long sentAt, long lease) {
    if (!(result instanceof Grant)) {
      taken(remote, LostReason.GONE);
      return false;
    }
    Hold hold = remote.holder();
    long promised = remote.validUntil();
    remote.extended(sentAt, lease);
    if (hold.isValid()) {
      watch(remote, remote.nextLook());
      return true;
    }
    if (hold.reason() != null) {
      // The answer came after the loss: nobody would release it.
      leftovers.abandonLost(remote, promised);
    }
    return false;
  }

  /** What took a hold away may not have been heard: the server is asked for each of them. */
  void inDoubt() {
    if (terms.has(Capability.RENEWABLE)) {
      byId.values().forEach(this::renew);
    }
  }

  /** Asks the server whether the holds of a lock are still there, without giving them time. */
  void confirm(String name) {
    for (RemoteHold remote : byId.values()) {
      if (remote.name().equals(name) && terms.has(Capability.RENEWABLE)) {
        try {
          extend(remote.holder(), Validity.nanos(LockRequest.MIN_LEASE));
        } catch (LockException e) {
          // Then it learns of it by its next renewal, or its lease runs out.
        }
      }
    }
  }

  /** Ends a hold that the server took away. */
  void revoked(HoldId id, LostReason reason) {
    RemoteHold remote = byId.get(id);
    if (remote == null) {
      early.add(id);
      remote = byId.get(id); // its grant may have come just now, and have seen nothing
    }
    if (remote != null) {
      taken(remote, reason);
    }
  }

  private void taken(RemoteHold remote, LostReason reason) {
    remote.take(reason);
    if (lost(remote.holder(), reason)) {
      if (remote.isRepeated()) {
        leftovers.abandon(remote); // an attempt that runs late must not bring it back
      }
    } else if (reason == LostReason.FORCED) {
      remote.holder().robbed();
    }
  }

  /** Ends a hold because the client is closed. Answers false if it had ended before. */
  boolean closed(Hold hold) {
    return lost(hold, LostReason.CLOSED);
  }

  /** Ends a hold whose validity is over, unless it has ended before. */
  void expired(Hold hold) {
    lost(hold, LostReason.EXPIRED, !hold.remote().isKept()); // the server may have it yet
  }

  /** Ends a hold without a release, and tells everybody. Answers false if it had ended before. */
  boolean lost(Hold hold, LostReason why) {
    return lost(hold, why, false);
  }

  private boolean lost(Hold hold, LostReason why, boolean atOnce) {
    boolean wasRenewing = hold.isRenewing();
    boolean stays = hold.mayStay();
    RemoteHold remote = hold.remote();
    long validUntil = remote.validUntil();
    // What was taken away is no longer valid, and whoever sees that first must not misjudge it.
    LostReason taken = why == LostReason.EXPIRED ? remote.taken() : null;
    LostReason reason = taken == null ? why : taken;
    if (!hold.lose(reason)) {
      return false;
    }
    try {
      news.ended(hold);
    } finally { // an Error in one keeps nobody from what follows: nothing of it is done again
      try {
        forget(hold);
        abandonPassed(remote);
        if (reason == LostReason.EXPIRED && stays) { // by the later end: an answer may have come
          leftovers.abandonLost(remote, Math.max(validUntil, remote.validUntil()));
        } else if (atOnce && (taken == null || remote.isRepeated())) {
          leftovers.abandon(remote);
        }
      } finally {
        try {
          ClientThreads.loss(() -> hold.lost().tell(reason));
        } finally {
          queues.signalHead(hold.name());
        }
      }
    }
    // A fixed lease that runs out does what was asked for; losing a renewed one is an incident.
    boolean expected =
        reason == LostReason.CLOSED || (reason == LostReason.EXPIRED && !wasRenewing);
    listener.run(
        hold.name(),
        () -> LOG.log(
            expected ? Level.DEBUG : Level.WARNING,
            "Lost the lease on lock ''{0}'' with fencing token {1}: {2}",
            hold.name(),
            Long.toString(hold.token()),
            reason));
    return true;
  }

  /** Takes back an entry of a fixed lease; after the last one the server ends the hold. */
  void keep(Hold hold) {
    if (hold.keep() == Hold.Exit.LAST) {
      leave(hold);
    }
  }

  /** Ends one that is kept, and has had its last exit. */
  void leave(Hold hold) {
    news.ended(hold);
    forget(hold);
    queues.signalHead(hold.name());
  }

  /** Removes the queue entries of waiters to whom the lock was passed under this hold. */
  void abandonPassed(RemoteHold remote) {
    leftovers.abandon(remote, remote.heirs().takeEntries());
  }

  /** Removes a hold that has ended; the lock may be held by a successor of this client already. */
  void forget(Hold hold) {
    RemoteHold remote = hold.remote();
    remote.end();
    agenda.retire(remote);
    byId.remove(remote.id());
    try {
      index.remove(hold);
    } finally {
      departures.note(hold.name());
    }
  }

  /** The owner no longer holds it, though the client still may, on the way to its next holder. */
  void forgetOwner(Hold hold) {
    index.removeOwner(hold);
  }
}
