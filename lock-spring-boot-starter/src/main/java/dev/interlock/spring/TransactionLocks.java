package dev.interlock.spring;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * The locks that transactions of a thread keep. One that was taken within a running transaction is
 * kept until that is complete: released earlier, the next holder would not see what has not been
 * committed. The transaction owns it, so that each of its calls enters it again; another
 * transaction of the same thread does not. The transaction does not commit once the lease is lost.
 */
final class TransactionLocks {
  private static final boolean PRESENT = ClassUtils.isPresent(
      "org.springframework.transaction.support.TransactionSynchronization",
      TransactionLocks.class.getClassLoader());

  private TransactionLocks() {}

  /** Returns the request as one of the current transaction, if there is one and it has no owner. */
  static LockRequest owned(LockRequest request) {
    return PRESENT && request.owner().isEmpty() ? Keeper.owned(request) : request;
  }

  /**
   * Tells whether a transaction of this thread keeps the lock for another owner: a wait would not
   * end.
   */
  static boolean blocks(LockClient client, LockRequest request) {
    return PRESENT && Keeper.blocks(client, request);
  }

  /**
   * Refuses to take a lock anew that a transaction of this thread has lost.
   *
   * @throws dev.interlock.LeaseLostException if it has
   */
  static void ensureKept(LockClient client, LockRequest request) {
    if (PRESENT) {
      Keeper.ensureKept(client, request);
    }
  }

  /** Returns an ending that minds the current transaction, if there is one. */
  static Ending keep(LockClient client, LockRequest request, Lease lease, Ending last) {
    return PRESENT ? Keeper.keep(client, request, lease, last) : last;
  }

  /** One transaction. Loaded only in an application that has the library. */
  private static final class Keeper implements TransactionSynchronization {
    /** The transactions of this thread that are not complete, suspended ones included. */
    private static final ThreadLocal<@Nullable List<Keeper>> OPEN = new ThreadLocal<>();

    private final String owner = "transaction " + UUID.randomUUID();
    private final List<KeptLock> locks = new CopyOnWriteArrayList<>();
    // Of a distributed transaction it may be set on another thread.
    private volatile boolean complete;

    static LockRequest owned(LockRequest request) {
      Keeper current = current();
      return current == null ? request : request.withOwner(current.owner);
    }

    private static @Nullable Keeper current() {
      if (!TransactionSynchronizationManager.isSynchronizationActive()
          || !TransactionSynchronizationManager.isActualTransactionActive()) {
        return null;
      }
      for (TransactionSynchronization known :
          TransactionSynchronizationManager.getSynchronizations()) {
        if (known instanceof Keeper keeper) {
          return keeper;
        }
      }
      Keeper keeper = new Keeper();
      TransactionSynchronizationManager.registerSynchronization(keeper);
      List<Keeper> open = new ArrayList<>(open());
      open.add(keeper);
      OPEN.set(open);
      return keeper;
    }

    private static List<Keeper> open() {
      List<Keeper> open = OPEN.get();
      if (open == null) {
        return List.of();
      }
      if (open.removeIf(keeper -> keeper.complete) && open.isEmpty()) {
        OPEN.remove();
      }
      return open;
    }

    static boolean blocks(LockClient client, LockRequest request) {
      String owner = request.owner().orElse(null);
      for (Keeper keeper : open()) {
        for (KeptLock kept : keeper.locks) {
          if (kept.isOf(client, request.name()) && (owner == null || !owner.equals(kept.owner))) {
            return true;
          }
        }
      }
      return false;
    }

    static void ensureKept(LockClient client, LockRequest request) {
      for (Keeper keeper : open()) {
        for (KeptLock kept : keeper.locks) {
          if (kept.isOf(client, request.name())) {
            kept.lease.ensureValid();
          }
        }
      }
    }

    static Ending keep(LockClient client, LockRequest request, Lease lease, Ending last) {
      Keeper current = current();
      if (current == null || current.keepsAsLong(client, request)) {
        return last;
      }
      KeptLock kept = new KeptLock(client, request, lease, last);
      current.locks.add(kept);
      return kept;
    }

    /** Whether the end of this entry changes nothing, since an earlier one lasts. */
    private boolean keepsAsLong(LockClient client, LockRequest request) {
      return locks.stream()
          .anyMatch(kept ->
              kept.isOf(client, request.name()) && (kept.renewing || !request.isRenewing()));
    }

    @Override
    public void beforeCommit(boolean readOnly) {
      locks.forEach(kept -> kept.lease.ensureValid());
    }

    @Override
    public void afterCompletion(int status) {
      complete = true;
      open();
      locks.forEach(KeptLock::transactionEnded);
    }
  }

  /** An entry into a lock, which ends with its work or its transaction, whichever is later. */
  private static final class KeptLock implements Ending {
    private final LockClient client;
    private final @Nullable String owner;
    private final boolean renewing;
    private final Lease lease;
    private final Ending last;
    private final AtomicInteger open = new AtomicInteger(2);

    KeptLock(LockClient client, LockRequest request, Lease lease, Ending last) {
      this.client = client;
      this.owner = request.owner().orElse(null);
      this.renewing = request.isRenewing();
      this.lease = lease;
      this.last = last;
    }

    boolean isOf(LockClient other, String name) {
      return client == other && lease.name().equals(name);
    }

    @Override
    public void end() {
      if (open.decrementAndGet() == 0) {
        last.end();
      } else {
        lease.ensureValid();
      }
    }

    void transactionEnded() {
      if (open.decrementAndGet() == 0) {
        last.endQuietly(lease.name());
      }
    }
  }
}
