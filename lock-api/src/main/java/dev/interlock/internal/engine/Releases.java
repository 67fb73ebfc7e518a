package dev.interlock.internal.engine;

import dev.interlock.LeaseLostException;
import dev.interlock.LockException;
import dev.interlock.LostReason;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.internal.running.BackendCalls;
import dev.interlock.internal.running.ClientThreads;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gives locks up: to the next waiter of this client, or to the server, which may answer that a
 * waiter of this client has the lock now.
 */
final class Releases {
  private final BackendCalls calls;
  private final Holds holds;
  private final Contention contention;
  private final LocalQueues queues;
  private final Leftovers leftovers;
  private final HoldNews news;
  private final ClientThreads threads;

  Releases(
      BackendCalls calls,
      Holds holds,
      Contention contention,
      LocalQueues queues,
      Leftovers leftovers,
      HoldNews news,
      ClientThreads threads) {
    this.calls = calls;
    this.holds = holds;
    this.contention = contention;
    this.queues = queues;
    this.leftovers = leftovers;
    this.news = news;
    this.threads = threads;
  }

  /** Takes one entry back; the last one frees the lock. */
  void exit(Hold hold, boolean renewing) {
    exit(hold, () -> hold.exit(renewing));
  }

  /** Takes back an entry of the current thread, which is the hold's owner. */
  void exit(Hold hold, Hold.Entry entry) {
    exit(hold, () -> hold.exit(entry));
  }

  /** Closing waits for all of it: it would not find a hold that has had its last exit. */
  private void exit(Hold hold, Supplier<Hold.Exit> exit) {
    calls.enter();
    try {
      switch (exit.get()) {
        case MORE -> {}
        case LAST -> giveUp(hold);
        case LOST -> throw lost(hold);
      }
    } finally {
      calls.exit();
    }
  }

  private LeaseLostException lost(Hold hold) {
    holds.expired(hold);
    return gone(
        hold,
        "the lease on lock '%s' was lost before the release: %s"
            .formatted(hold.name(), hold.reason()));
  }

  private static LeaseLostException gone(Hold hold, String message) {
    return new LeaseLostException(message, hold.name(), hold.token(), hold.reason());
  }

  private void giveUp(Hold hold) {
    calls.enter();
    try {
      holds.forgetOwner(hold);
      if (hold.remote().isKept()) {
        holds.leave(hold);
      } else if (!contention.pass(hold)) {
        releaseOnServer(hold);
      }
    } catch (LockException e) {
      throw e; // what follows from it is done
    } catch (Throwable e) { // memory, at worst: it has ended, and nobody would look at it
      cutShort(hold);
      throw e;
    } finally {
      calls.exit();
    }
  }

  /** The Error that brought it here may come again in each of them. */
  private void cutShort(Hold hold) {
    try {
      news.ended(hold);
    } finally {
      try {
        holds.forget(hold);
      } finally {
        try {
          leftovers.abandon(hold.remote());
        } finally {
          queues.signalHead(hold.name());
        }
      }
    }
  }

  /** Drops an entry into a hold that ran out before its owner could use it. */
  void drop(Hold hold, boolean renewing) {
    try {
      exit(hold, renewing);
    } catch (LockException e) {
      // That is why.
    }
  }

  void giveUpQuietly(Hold hold) {
    try {
      giveUp(hold);
    } catch (LockException e) {
      // Nobody waits for this release; what is left is abandoned already.
    }
  }

  private void releaseOnServer(Hold hold) {
    List<HoldId> passed = holds.index().takeEntries(hold);
    hold.remote().leave();
    long sentAt = calls.beforeSending();
    Waiter next = takeAlong(hold.name());
    ReleaseResult result;
    try {
      result = send(hold, passed, next, sentAt);
    } catch (LockException e) {
      news.ended(hold); // its holder has given it up, whenever the server will
      holds.forget(hold);
      leftovers.abandon(hold.remote());
      leftovers.abandon(hold.remote(), passed);
      inDoubt(hold.name(), next);
      queues.signalHead(hold.name());
      throw new OutcomeUnknownException(
          "the release of lock '%s' was not confirmed; it is repeated in the background"
              .formatted(hold.name()),
          e);
    }
    boolean gone = !result.held() && !hold.remote().hasRunOut();
    if (gone) {
      hold.foundGone();
    }
    news.ended(hold);
    boolean served = serve(next, result, sentAt);
    holds.forget(hold);
    if (!served) {
      queues.signalHead(hold.name());
    } else if (result.granted() == null) {
      queues.signalHeadWithoutRecheck(hold.name());
    } else if (!holds.isHeldHere(hold.name())) {
      // The heir has left, or is a reader: nobody here will tell those who count on the holder.
      queues.signalHeadOutsideQueue(hold.name());
    }
    if (hold.remote().isRepeated()) {
      leftovers.abandon(hold.remote());
    }
    if (gone) {
      LostReason reason = Objects.requireNonNull(hold.reason());
      ClientThreads.loss(() -> hold.lost().tell(reason));
      throw gone(
          hold,
          "lock '%s' was no longer held on the server when it was released".formatted(hold.name()));
    }
  }

  /**
   * A release was not answered: its effect on those who wait, and on the one that it took along, is
   * unknown.
   */
  private void inDoubt(String name, @Nullable Waiter next) {
    if (next != null) {
      leftovers.inDoubt(next);
    }
    queues.waiters(name).forEach(contention.serverQueue()::check);
  }

  /** The waiter whose attempt the release takes to the server; null if none waits. */
  private @Nullable Waiter takeAlong(String name) {
    Waiter next = queues.head(name);
    if (next == null) {
      return null;
    }
    next.takenAlong();
    if (next.isWaiting()) {
      return next;
    }
    // It is just leaving, and may have left the abandonment to this release.
    next.broughtBack();
    leftovers.servedLate(next);
    return null;
  }

  private ReleaseResult send(Hold hold, List<HoldId> passed, @Nullable Waiter next, long sentAt) {
    try {
      Release release = Release.of(hold.name(), hold.remote().id()).withPassed(passed);
      Attempt along = next == null ? null : next.toAttempt(queues.tokens(next), null);
      return send(release.withNext(along), next, sentAt);
    } finally {
      if (next != null) {
        next.broughtBack();
      }
    }
  }

  private ReleaseResult send(Release release, @Nullable Waiter next, long sentAt) {
    try {
      return calls.release(release);
    } catch (LockException e) {
      if (System.nanoTime() - sentAt > BackendCalls.QUICK_FAULT) {
        throw e;
      }
      ReleaseResult result = calls.release(release); // the same id: it is done once
      boolean unknown = e instanceof OutcomeUnknownException;
      if (unknown) {
        inDoubt(release.name(), next);
      }
      // Not there any more, because the first one did it: that is no loss.
      return unknown && !result.held() ? ReleaseResult.released() : result;
    }
  }

  /** Answers whether a waiter of this client has heard from the server. */
  private boolean serve(@Nullable Waiter next, ReleaseResult result, long sentAt) {
    Grant grant = result.granted();
    Waiter heir = null;
    if (grant != null) {
      heir = next != null && grant.id().equals(next.id()) ? next : contention.waiting(grant.id());
    }
    if (grant != null && heir != null) {
      contention.granted(heir, grant, sentAt);
    }
    if (next != null && result.next() != null) {
      contention.answered(next, result.next(), sentAt);
      return true;
    }
    if (next != null && heir != next) {
      leftovers.servedLate(next);
    }
    // A grant to one who has left serves nobody, and its clean-up may have found us holding still.
    return heir != null || (grant != null && contention.serverQueue().grantedAgain(grant));
  }

  /**
   * Releases everything, for closing, and waits for the calls under way, until the time is over.
   * What fails, or was not begun, is left to the last abandonments. Answers whether no call is
   * under way.
   */
  boolean releaseAll(long deadline) {
    Set<Hold> open = ConcurrentHashMap.newKeySet();
    holds.all().stream()
        .filter(holds::closed)
        .filter(hold -> !hold.remote().isKept())
        .forEach(open::add);
    threads.closeAll(
        open,
        hold -> {
          try {
            calls.release(Release.of(hold.name(), hold.remote().id()));
            open.remove(hold);
          } catch (LockException e) {
            // It is among those that stay.
          }
        },
        deadline);
    boolean quiet = calls.awaitQuiet(deadline - System.nanoTime());
    open.forEach(hold -> leftovers.abandon(hold.remote()));
    return quiet;
  }
}
