package dev.interlock.tck.teststore;

import dev.interlock.tck.teststore.Wire.Event;
import dev.interlock.tck.teststore.Wire.Info;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What operators ask. */
final class OperatorCommands {
  private static final long NO_EXPIRY = TimeUnit.DAYS.toNanos(1_000);
  private static final int INSPECTED = 191;
  private static final int TOLD_HOLDERS = 10;
  private static final int TOLD_OF_OWNER = 64;

  private final Store store;
  private final LockTable table;
  private final Grants grants;
  private final Fault fault;

  OperatorCommands(Store store, LockTable table, Grants grants, Fault fault) {
    this.store = store;
    this.table = table;
    this.grants = grants;
    this.fault = fault;
  }

  @Nullable
  Info inspect(String asked, long clientClock) {
    String name = fault == Fault.INSPECT_CUTS_NAMES ? beginning(asked) : asked;
    long now = table.now(clientClock);
    if (table.isSpoilt(name)) {
      return new Info("unknown", "", 0, NO_EXPIRY, 0, 0, new ArrayList<>());
    }
    Lock asIs = fault == Fault.INSPECT_SEES_EXPIRED ? table.asIs(name) : null;
    Lock lock = asIs == null ? grants.lock(name, now) : asIs;
    Held held = lock.held;
    if (held == null) {
      table.forget(name, lock);
      if (fault == Fault.KEEPS_INSPECTED) {
        table.keep(name);
      }
      return null;
    }
    if (fault == Fault.INSPECT_PROLONGS) {
      lock.holders()
          .forEach(hold -> hold.expiresAt = Math.max(hold.expiresAt, now + hold.request.lease()));
    }
    int waiters = fault == Fault.BLIND_INSPECT ? 0 : lock.waiters.size() + lock.queue.size();
    Info first = info(held, now, waiters);
    lock.beside.values().stream()
        .filter(other -> other.token != held.token)
        .limit(fault == Fault.INSPECT_TELLS_TEN ? TOLD_HOLDERS - 1 : Long.MAX_VALUE)
        .forEach(other -> first
            .others()
            .add(
                fault == Fault.INSPECT_TELLS_ONE_LEASE
                    ? info(other, now, waiters).withRemaining(first.remaining())
                    : info(other, now, waiters)));
    return first;
  }

  private Info info(Held held, long now, int waiters) {
    String owner = held.request.owner();
    boolean cut = fault == Fault.INSPECT_CUTS_OWNERS && owner.length() > TOLD_OF_OWNER;
    return new Info(
        cut ? owner.substring(0, TOLD_OF_OWNER) : owner,
        held.request.host(),
        held.since,
        Math.max(0, held.expiresAt - now + held.hidden),
        held.token,
        waiters,
        new ArrayList<>());
  }

  boolean forceRelease(String name, long token, long clientClock) {
    store.requireWritable();
    if (token == 0 && table.mend(name)) {
      return true;
    }
    Lock lock = grants.lock(name, table.now(clientClock));
    boolean ofPermits = lock.holders().anyMatch(held -> held.request.isForPermits());
    boolean together =
        fault == Fault.FORCE_ENDS_ALL || (fault == Fault.FORCE_ENDS_ALL_PERMITS && ofPermits);
    boolean all = fault == Fault.FORCES_ANYBODY
        || (together && lock.holders().anyMatch(held -> held.has(token)));
    List<Held> victims = lock.holders()
        .filter(held -> all || held.has(token))
        .limit(fault == Fault.FORCE_ENDS_ONE_ENTRY ? 1 : Long.MAX_VALUE)
        .toList();
    for (Held victim : victims) {
      grants.tell(victim.request.client(), new Event("revoked", name, victim.request.id()));
      lock.end(victim);
      lock.leaveLease(victim);
      table.forced(name, victim);
      if (fault == Fault.FORCE_GIVES_ONE_BACK && victim.units > 1) {
        keepAllButOne(lock, victim);
      }
    }
    if (!victims.isEmpty()) {
      lock.end = Lock.End.FORCED;
      if (fault == Fault.KEEPS_FORCED) {
        table.keep(name);
      }
      lock.expiredToken = victims.get(0).token;
      boolean shared = victims.get(0).request.capacity() != 1;
      if (fault != Fault.FORCE_WAKES_NOBODY
          && !(shared && fault == Fault.SHARED_FORCE_WAKES_NOBODY)
          && !(fault == Fault.FORCE_SERVES_NO_PARTS && lock.queue.beginsWithPart())) {
        grants.hand(name, lock);
      }
    }
    table.forget(name, lock);
    return !victims.isEmpty();
  }

  /** Nobody's hold, which goes with the lease. */
  private static void keepAllButOne(Lock lock, Held victim) {
    Held rest = new Held(victim.request.ofNobody(), 0, 1, victim.expiresAt);
    rest.units = victim.units - 1;
    if (lock.held == null) {
      lock.held = rest;
    } else {
      lock.beside.put(rest.request.id(), rest);
    }
  }

  private static String beginning(String name) {
    return name.substring(0, Math.min(INSPECTED, name.length()));
  }
}
