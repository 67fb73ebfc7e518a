package dev.interlock.tck.teststore;

import dev.interlock.BackendUnavailableException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.HoldId;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Gives holds and waits up, and takes holds away. */
final class StoreEndings {
  private static final long LATER_MILLIS = 300;
  private static final int MANY = 100;

  private final StoreConnections connections;
  private final Fault fault;
  private final Requests requests;
  private final ScheduledExecutorService timers;
  private final AtomicInteger abandonments = new AtomicInteger();
  private final AtomicInteger forced = new AtomicInteger();

  StoreEndings(
      StoreConnections connections,
      Fault fault,
      Requests requests,
      ScheduledExecutorService timers) {
    this.connections = connections;
    this.fault = fault;
    this.requests = requests;
    this.timers = timers;
  }

  boolean release(String name, HoldId id) {
    Wire.Request request = requests.of(name, id, 0);
    boolean held;
    if (fault == Fault.UNSENT_RELEASE_MEANS_DONE
        || (fault == Fault.SHARED_RELEASE_MEANS_DONE && requests.isForPart(id))) {
      try {
        return (Boolean) connections.call(store -> store.holds().release(request));
      } catch (BackendUnavailableException | OutcomeUnknownException e) {
        return true;
      }
    }
    if (fault == Fault.RELEASE_REMOVES_EXPIRED
        && (Boolean) connections.call(store -> store.attempts().isExpired(request))) {
      connections.call(store -> store.attempts().remove(name));
      return false;
    }
    if (fault == Fault.RELEASE_REWRITES_QUEUE) {
      rewriteQueue(request);
    }
    if (fault == Fault.RELEASE_REWRITES_HOLDERS || fault == Fault.OWNER_RELEASE_REWRITES_ENTRIES) {
      String[] before = (String[]) connections.call(store -> store.holds().holders(request));
      return (Boolean) connections.call(store -> store.holds().releaseAmong(request, before));
    }
    if (fault == Fault.LOOKS_THEN_FREES) {
      return isThere(request)
          && (Boolean) connections.call(store -> store.holds().freeByName(request.name()));
    }
    if ((fault == Fault.PARTS_LOOK_THEN_FREE && requests.isForPart(id))
        || (fault == Fault.OWNERS_LOOK_THEN_FREE && requests.isOwned(id))) {
      return isThere(request)
          && (Boolean) connections.call(store -> store.holds().freeOwnOrAny(request));
    }
    held = (Boolean) connections.call(store -> store.holds().release(request));
    if (fault == Fault.RELEASES_THEN_SERVES) {
      connections.call(store -> store.holds().serveReleased(name));
    }
    return held || fault == Fault.HIDES_LOSSES;
  }

  private boolean isThere(Wire.Request request) {
    return (Boolean) connections.call(store -> store.holds().isThere(request));
  }

  /** Reads the queue in one step, and writes it in another. */
  private void rewriteQueue(Wire.Request request) {
    String[] before = (String[]) connections.call(store -> store.attempts().queue(request));
    connections.call(store -> store.attempts().writeQueue(request, before));
  }

  void abandon(String name, HoldId id) {
    Wire.Request request = requests.of(name, id, 0);
    if (fault == Fault.LEAVER_REWRITES_QUEUE) {
      rewriteQueue(request);
    }
    if (fault == Fault.ABANDONMENTS_RUN_OUT && abandonments.incrementAndGet() > MANY) {
      return;
    }
    if (fault == Fault.ABANDONS_LATER) {
      var unused = timers.schedule(
          () -> connections.call(store -> store.holds().abandon(request)),
          LATER_MILLIS,
          TimeUnit.MILLISECONDS);
    } else if (fault == Fault.LOOKS_THEN_ABANDONS && isThere(request)) {
      connections.call(store -> store.holds().freeByName(name));
    } else if (fault == Fault.PARTS_LOOK_THEN_ABANDON
        && requests.isForPart(id)
        && isThere(request)) {
      connections.call(store -> store.holds().freeOwnOrAny(request));
    } else {
      try {
        connections.call(store -> store.holds().abandon(request));
      } catch (BackendUnavailableException | OutcomeUnknownException e) {
        if (fault != Fault.ABANDON_FAILED_MEANS_DONE) {
          throw e;
        }
      }
    }
  }

  /** Ends all that this client holds, for a fault. */
  void endAll() {
    String client = requests.client();
    try {
      connections.call(store -> store.holds().endAllOf(client));
    } catch (BackendUnavailableException | OutcomeUnknownException e) {
      // It is left to end by itself.
    }
  }

  boolean forceRelease(String name, long fencingToken) {
    long clock = System.currentTimeMillis();
    if (fault == Fault.FORCES_RUN_OUT && forced.incrementAndGet() > MANY) {
      return true;
    }
    if (fault == Fault.LOOKS_THEN_FORCES) {
      return connections.call(store -> store.operators().inspect(name, clock))
              instanceof Wire.Info info
          && info.token() == fencingToken
          && (Boolean) connections.call(store -> store.holds().freeByName(name));
    }
    if (fault == Fault.FORCE_REWRITES_HOLDERS) {
      String[] before = (String[]) connections.call(store -> store.operators().holders(name));
      return (Boolean) connections.call(
          store -> store.operators().forceAmong(name, fencingToken, clock, before));
    }
    try {
      return (Boolean)
          connections.call(store -> store.operators().forceRelease(name, fencingToken, clock));
    } catch (BackendUnavailableException | OutcomeUnknownException e) {
      if (fault == Fault.FORCE_FAILED_MEANS_FREE) {
        return false;
      }
      throw e;
    }
  }
}
