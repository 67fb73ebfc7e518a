package dev.interlock.mysql.internal.statements;

import dev.interlock.mysql.internal.queue.Changes;
import dev.interlock.mysql.internal.queue.Entry;
import dev.interlock.mysql.internal.queue.LockRow;
import dev.interlock.spi.HoldId;
import dev.interlock.sql.support.HoldRow;
import dev.interlock.sql.support.WaiterRow;
import java.util.Collection;
import java.util.List;
import org.apache.ibatis.annotations.Param;
import org.jspecify.annotations.Nullable;

/** The statements of LockMapper.xml, which explains each. */
public interface LockMapper {
  int acquire(AcquireParameters parameters);

  @Nullable
  QueuedRow enqueue(AcquireParameters parameters);

  int release(@Param("at") LockKey at, @Param("id") HoldId id);

  @Nullable
  HandedOver handOver(
      @Param("at") LockKey at, @Param("id") HoldId id, @Param("transaction") long transaction);

  @Nullable
  HandedOver handOverWaking(
      @Param("at") LockKey at, @Param("id") HoldId id, @Param("transaction") long transaction);

  void prepareHandOver(@Param("text") String text);

  @Nullable
  HandedOver executeHandOver(
      @Param("at") LockKey at, @Param("id") HoldId id, @Param("transaction") long transaction);

  @Nullable
  HandedOver handedOver(@Param("transaction") long transaction);

  List<List<?>> beginTransaction(
      @Param("at") LockKey at, @Param("page") int page, @Param("transaction") long transaction);

  List<List<?>> beginTransactionAsking(
      @Param("at") LockKey at,
      @Param("ids") Collection<HoldId> ids,
      @Param("page") int page,
      @Param("transaction") long transaction);

  List<List<?>> beginIfUnlocked(
      @Param("at") LockKey at,
      @Param("ids") Collection<HoldId> ids,
      @Param("page") int page,
      @Param("transaction") long transaction);

  List<List<?>> beginFirstTransaction(
      @Param("at") LockKey at,
      @Param("ids") Collection<HoldId> ids,
      @Param("page") int page,
      @Param("transaction") long transaction,
      @Param("forgottenUs") long forgottenUs);

  List<Entry> readShares(@Param("at") LockKey at);

  List<Entry> readOn(@Param("at") LockKey at, @Param("after") long ticket, @Param("page") int page);

  void finishTransaction(
      @Param("transaction") long transaction,
      @Param("at") LockKey at,
      @Param("c") Changes changes,
      @Param("r") LockRow row,
      @Param("wakes") Collection<Long> wakes);

  void finishHandOver(
      @Param("transaction") long transaction,
      @Param("at") LockKey at,
      @Param("gone") long goneTicket,
      @Param("r") LockRow row,
      @Param("wake") long wake);

  void finishFirstTransaction(
      @Param("transaction") long transaction,
      @Param("at") LockKey at,
      @Param("c") Changes changes,
      @Param("r") LockRow row,
      @Param("s") Sweep sweep,
      @Param("wakes") Collection<Long> wakes);

  void rollBack();

  void addCounter(@Param("bucket") int bucket);

  List<HeldRow> renewHolds(
      @Param("holds") List<KnownHold> holds,
      @Param("leaseUs") long leaseUs,
      @Param("raise") boolean raise,
      @Param("transaction") @Nullable Long transaction);

  List<HeldRow> lockFreeHolds(
      @Param("holds") List<KnownHold> holds, @Param("transaction") long transaction);

  List<HeldRow> unconfirmed(@Param("holds") List<KnownHold> holds);

  List<HeldRow> renewParts(@Param("locks") List<LockParts> locks, @Param("leaseUs") long leaseUs);

  List<EntryState> unlockedEntries(@Param("entries") List<KnownEntry> entries);

  List<EntryState> refreshWaiters(
      @Param("entries") List<KnownEntry> entries,
      @Param("entryUs") long entryUs,
      @Param("freshUs") long freshUs,
      @Param("summonedFreshUs") long summonedFreshUs,
      @Param("listens") boolean listens);

  void wake(@Param("client") long client);

  @Nullable
  Long becomeListener(@Param("client") long client);

  List<HoldRow> inspect(@Param("at") LockKey at);

  List<HoldRow> list(
      @Param("after") @Nullable LockKey after,
      @Param("rest") List<Integer> restOfBuckets,
      @Param("start") byte[] start,
      @Param("end") byte[] end,
      @Param("limit") int limit);

  List<WaiterRow> waiters(@Param("at") LockKey at, @Param("limit") int limit);

  /** The answer to {@link LockMapper#enqueue}. */
  final class QueuedRow {
    public long ticket;
    public long lockRemainingUs;
  }

  /** The answer to {@link LockMapper#handOver}. */
  final class HandedOver {
    public boolean done;

    /** Who has the lock now; null if nobody. */
    public @Nullable Long client;
  }

  /** A row of the counter table. */
  final class CounterRow {
    public long lastToken;
    int lockRows;
    byte[] swept = {};
  }

  /** What {@link LockMapper#beginFirstTransaction} sees of a lock, whoever has its row locked. */
  final class Sight {
    public long nowUs;
    public boolean hasRow;
  }

  /** A row of the lock table that may be removed. */
  final class Candidate {
    public byte[] lockKey = {};
    long lastToken;
    boolean removable;
    public boolean forgotten;
  }

  /** A hold that was prolonged. */
  final class HeldRow {
    long client;
    long hold;
    public long token;
    public int tokens;

    public HoldId id() {
      return new HoldId(client, hold);
    }
  }

  /** An entry that is still there, and what its lock is up to. */
  final class EntryState {
    long client;
    long hold;
    public boolean listens;
    public boolean granted;
    public long lockRemainingUs;
    public boolean ownerHolds;

    public HoldId id() {
      return new HoldId(client, hold);
    }
  }

  /**
   * A hold, addressed by its lock.
   *
   * @param at the lock
   * @param id the hold
   * @param minToken how large its token must be at least
   */
  record KnownHold(LockKey at, HoldId id, long minToken) {}

  /**
   * Some holds of one lock that stand in the table of entries.
   *
   * @param at the lock
   * @param holds where they stand
   */
  record LockParts(LockKey at, List<KnownEntry> holds) {}

  /**
   * An entry of this client, addressed by its primary key. Statements that go through the index of
   * hold ids would lock in another order than a transaction, and meet it in a deadlock.
   *
   * @param name the lock
   * @param at the lock's place
   * @param kind {@link Entry#SHARE} or {@link Entry#WAITER}
   * @param ticket its ticket
   * @param id its hold
   * @param counted whether it may share the lock
   */
  record KnownEntry(String name, LockKey at, int kind, long ticket, HoldId id, boolean counted) {

    public static KnownEntry of(String name, LockKey at, Entry entry) {
      return new KnownEntry(name, at, entry.kind, entry.ticket, entry.id(), entry.isCounted());
    }
  }
}
