package dev.interlock.spring.internal.lease;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
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

  /** What the transactions of this thread keep, as far as it concerns a further request. */
  static HeldPart.Effect on(LockClient client, LockRequest further) {
    return PRESENT ? Keeper.on(client, further) : HeldPart.Effect.NONE;
  }

  /** Whether a transaction of this thread keeps all of the lock for the owner of the request. */
  static boolean writes(LockClient client, LockRequest further) {
    return PRESENT && Keeper.writes(client, further);
  }

  /** Whether a transaction of this thread keeps a lock that is not the current one. */
  static boolean isKeptByOther(LockClient client, String name) {
    return PRESENT && Keeper.isKeptByOther(client, name);
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
      Keeper known = known();
      if (known != null) {
        return known;
      }
      Keeper keeper = new Keeper();
      TransactionSynchronizationManager.registerSynchronization(keeper);
      TransactionSynchronizationManager.registerSynchronization(keeper.new Completion());
      List<Keeper> open = new ArrayList<>(open());
      open.add(keeper);
      OPEN.set(open);
      return keeper;
    }

    /** That of the current transaction, if it has one yet. */
    private static @Nullable Keeper known() {
      if (TransactionSynchronizationManager.isSynchronizationActive()) {
        for (TransactionSynchronization known :
            TransactionSynchronizationManager.getSynchronizations()) {
          if (known instanceof Keeper keeper) {
            return keeper;
          }
        }
      }
      return null;
    }

    static boolean isKeptByOther(LockClient client, String name) {
      Keeper current = known();
      return open().stream()
          .filter(keeper -> keeper != current)
          .anyMatch(keeper -> keeper.locks.stream().anyMatch(kept -> kept.part.isOf(client, name)));
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

    static HeldPart.Effect on(LockClient client, LockRequest further) {
      HeldPart.Effect effect = HeldPart.Effect.NONE;
      for (Keeper keeper : open()) {
        for (KeptLock kept : keeper.locks) {
          effect = effect.and(kept.part.on(client, further));
        }
      }
      return effect;
    }

    static boolean writes(LockClient client, LockRequest further) {
      return open().stream()
          .flatMap(keeper -> keeper.locks.stream())
          .anyMatch(kept -> kept.part.writesFor(client, further));
    }

    static void ensureKept(LockClient client, LockRequest request) {
      for (Keeper keeper : open()) {
        for (KeptLock kept : keeper.locks) {
          if (kept.part.isOf(client, request.name())) {
            kept.lease().ensureValid();
          }
        }
      }
    }

    static Ending keep(LockClient client, LockRequest request, Lease lease, Ending last) {
      Keeper current = current();
      if (current == null || current.keepsAsLong(client, request)) {
        return last;
      }
      // Not by enter(), which throws if the lease was lost just now: nobody would end the last.
      SharedEnding shared = SharedEnding.ofTwo(lease, last);
      current.locks.add(new KeptLock(new HeldPart(client, request), shared));
      return shared;
    }

    /** Whether the end of this entry changes nothing, since an earlier one lasts. */
    private boolean keepsAsLong(LockClient client, LockRequest request) {
      return locks.stream().anyMatch(kept -> kept.part.covers(client, request));
    }

    @Override
    public void beforeCommit(boolean readOnly) {
      locks.forEach(kept -> kept.lease().ensureValid());
    }

    /**
     * Before whatever else follows the completion: a {@code TransactionalEventListener} may need
     * the lock, and does not belong to the transaction any more. The look at the leases before the
     * commit is the last one, so that what is written until then is under them. What Kafka and
     * RabbitMQ commit in their own completion, after this, is not.
     */
    private final class Completion implements TransactionSynchronization {
      @Override
      public int getOrder() {
        return HIGHEST_PRECEDENCE;
      }

      @Override
      public void afterCompletion(int status) {
        complete = true;
        open();
        locks.forEach(kept -> kept.ending.endQuietly(kept.lease().name()));
      }
    }
  }

  /**
   * An entry into a lock, which ends with its work or its transaction, whichever is later.
   *
   * @param part of which lock
   * @param ending what the two of them share
   */
  private record KeptLock(HeldPart part, SharedEnding ending) {
    Lease lease() {
      return ending.lease();
    }
  }
}
